//! A memory file of any size that is the same everywhere, byte for byte, so
//! that figures of two machines and of two servers speak of the same graph.
//!
//! It holds N entities of twelve types with three observations of 80
//! characters, then two relations of each entity to random ones, without a
//! final line feed. The word [`NEEDLE`] stands in exactly [`HITS`] entities,
//! spread evenly. The random numbers are those of Python's `random.Random(42)`,
//! in which the graph was first described.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What a search looks for.
pub const NEEDLE: &str = "quokka";
/// How many entities contain it (fewer in a graph that has fewer entities).
pub const HITS: usize = 10;

const SEED: u32 = 42;
const OBSERVATIONS: usize = 3;
const OBSERVATION_CHARACTERS: usize = 80;
const RELATIONS: usize = 2;

#[rustfmt::skip]
const WORDS: [&str; 63] = [
    "alpha", "beta", "gamma", "delta", "signal", "harbor", "lantern", "meadow", "copper", "silver",
    "granite", "river", "valley", "orchard", "engine", "module", "parser", "kernel", "buffer",
    "packet", "socket", "thread", "vector", "matrix", "tensor", "garden", "winter", "summer",
    "autumn", "market", "ledger", "invoice", "budget", "project", "sprint", "review", "deploy",
    "rollback", "monitor", "metric", "latency", "cache", "replica", "shard", "cluster", "gateway",
    "proxy", "customer", "partner", "vendor", "contract", "meeting", "agenda", "decision",
    "proposal", "roadmap", "quarter", "région", "Zürich", "naïve", "señor", "東京", "данные",
];
#[rustfmt::skip]
const ENTITY_TYPES: [&str; 12] = [
    "person", "company", "project", "place", "event", "concept", "document", "tool", "team",
    "decision", "service", "bug",
];
#[rustfmt::skip]
const RELATION_TYPES: [&str; 10] = [
    "knows", "works_at", "depends_on", "part_of", "located_in", "created", "owns", "mentions",
    "blocks", "reviews",
];

/// The name of the entity with this number.
pub fn entity_name(number: usize) -> String {
    format!("Entity_{number:07}")
}

/// The memory file of a graph with this many entities.
pub fn memory_file(entities: usize) -> String {
    let mut random = Random::new(SEED);
    let marked: BTreeSet<usize> = (0..HITS).map(|hit| hit * entities / HITS).collect();
    let mut file = String::with_capacity(entities * 550);
    for number in 0..entities {
        let mut observations: Vec<String> = (0..OBSERVATIONS)
            .map(|place| observation(&mut random, number, place))
            .collect();
        if marked.contains(&number) {
            observations[1].push(' ');
            observations[1].push_str(NEEDLE);
        }
        let name = entity_name(number);
        let entity_type = random.choose(&ENTITY_TYPES);
        let observations = observations.join(r#"",""#);
        // No word needs an escape.
        writeln!(
            file,
            r#"{{"type":"entity","name":"{name}","entityType":"{entity_type}","observations":["{observations}"]}}"#
        )
        .expect("a String takes everything");
    }
    for number in 0..entities {
        let mut seen = BTreeSet::new();
        while seen.len() < RELATIONS.min(entities) {
            let target = random.below(entities);
            let relation_type = random.choose(&RELATION_TYPES);
            if seen.insert((target, relation_type)) {
                let (from, to) = (entity_name(number), entity_name(target));
                writeln!(
                    file,
                    r#"{{"type":"relation","from":"{from}","to":"{to}","relationType":"{relation_type}"}}"#
                )
                .expect("a String takes everything");
            }
        }
    }
    file.pop();
    file
}

fn observation(random: &mut Random, number: usize, place: usize) -> String {
    let mut text = format!("{number}.{place}");
    let mut characters = text.len();
    while characters < OBSERVATION_CHARACTERS {
        let word = random.choose(&WORDS);
        text.push(' ');
        text.push_str(word);
        characters += 1 + word.chars().count();
    }
    text
}

/// Python's generator: the Mersenne Twister MT19937, seeded with one number.
struct Random {
    state: [u32; Random::SIZE],
    next: usize,
}

impl Random {
    const SIZE: usize = 624;
    const SHIFT: usize = 397;

    fn new(seed: u32) -> Random {
        let mut state = [0_u32; Random::SIZE];
        state[0] = 19_650_218;
        for i in 1..Random::SIZE {
            state[i] = mixed(state[i - 1], 1_812_433_253).wrapping_add(i as u32);
        }
        // The published seeding by a key, here of one word.
        let mut i = 1;
        for _ in 0..Random::SIZE {
            state[i] = (state[i] ^ mixed(state[i - 1], 1_664_525)).wrapping_add(seed);
            i = Random::after(i, &mut state);
        }
        for _ in 1..Random::SIZE {
            state[i] = (state[i] ^ mixed(state[i - 1], 1_566_083_941)).wrapping_sub(i as u32);
            i = Random::after(i, &mut state);
        }
        state[0] = 0x8000_0000;
        Random {
            state,
            next: Random::SIZE,
        }
    }

    /// The next place of the seeding, which goes round and leaves out 0.
    fn after(i: usize, state: &mut [u32; Random::SIZE]) -> usize {
        if i + 1 < Random::SIZE {
            return i + 1;
        }
        state[0] = state[Random::SIZE - 1];
        1
    }

    fn word(&mut self) -> u32 {
        if self.next == Random::SIZE {
            for i in 0..Random::SIZE {
                let high = self.state[i] & 0x8000_0000;
                let low = self.state[(i + 1) % Random::SIZE] & 0x7fff_ffff;
                let odd = if low & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] =
                    self.state[(i + Random::SHIFT) % Random::SIZE] ^ ((high | low) >> 1) ^ odd;
            }
            self.next = 0;
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// A number below `limit`, by trying as many bits as the limit has.
    fn below(&mut self, limit: usize) -> usize {
        let bits = usize::BITS - limit.leading_zeros();
        loop {
            let number = (self.word() >> (32 - bits)) as usize;
            if number < limit {
                return number;
            }
        }
    }

    fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

fn mixed(previous: u32, factor: u32) -> u32 {
    (previous ^ (previous >> 30)).wrapping_mul(factor)
}
