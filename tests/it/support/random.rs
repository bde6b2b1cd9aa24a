//! Random numbers that are the same everywhere for the same seed, so that a
//! printed seed is enough to see a failure again; and how long a test that
//! uses them runs. `tests/README.md` lists the variables.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

/// The number in this environment variable, or the short form's.
pub fn number(variable: &str, short: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
        Err(_) => short,
    }
}

/// The splitmix64 generator.
pub struct Random(u64);

impl Random {
    /// A generator that always gives the same numbers for this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// From the seed in `MCP_MEMORY_SEED`, or a new one. It is printed, so
    /// that a failing test shows it.
    pub fn seeded(test: &str) -> Random {
        let fresh = RandomState::new().build_hasher().finish();
        let seed = number("MCP_MEMORY_SEED", fresh);
        eprintln!("{test}: MCP_MEMORY_SEED={seed}");
        Random(seed)
    }

    /// Another one that does not depend on how often this one is used later.
    pub fn fork(&mut self) -> Random {
        Random(self.number())
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `end`, `end` not included.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// This many things.
    pub fn list<T>(&mut self, length: usize, mut make: impl FnMut(&mut Random) -> T) -> Vec<T> {
        (0..length).map(|_| make(self)).collect()
    }
}
