//! How many cases a random test tries.

use proptest::prelude::ProptestConfig;

/// So many random cases; as many as `PROPTEST_CASES` says in the long form,
/// which is run by hand.
pub fn cases(usual: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => given,
        None => ProptestConfig {
            cases: usual,
            ..given
        },
    }
}
