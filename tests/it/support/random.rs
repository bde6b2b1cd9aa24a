//! What the tests of several processes are told by the environment: how long
//! they run, and from which seed their random moments come. `tests/README.md`
//! lists the variables.

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

/// SplitMix64: enough for random moments, and the same everywhere.
pub struct Random(u64);

impl Random {
    /// From the seed in `MCP_MEMORY_SEED`, or a new one. It is printed, so
    /// that a failing test shows it.
    pub fn seeded(test: &str) -> Random {
        let seed = number(
            "MCP_MEMORY_SEED",
            RandomState::new().build_hasher().finish(),
        );
        eprintln!("{test}: MCP_MEMORY_SEED={seed}");
        Random(seed)
    }

    /// Another one that does not depend on how often this one is used later.
    pub fn fork(&mut self) -> Random {
        Random(self.next())
    }

    /// 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of `0..end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
