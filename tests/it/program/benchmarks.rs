//! The benchmarks' graphs. What the benchmarks measure is no test.

#[path = "../../../benches/end_to_end/generate.rs"]
mod generate;

use generate::{HITS, NEEDLE, entity_name, memory_file};

const TWO_ENTITIES: &str = r#"{"type":"entity","name":"Entity_0000000","entityType":"tool","observations":["0.0 latency meadow beta customer kernel module engine copper customer lantern shard","0.1 customer région sprint harbor rollback summer gamma beta harbor orchard engine quokka","0.2 budget monitor beta review valley gateway cache cluster sprint winter engine"]}
{"type":"entity","name":"Entity_0000001","entityType":"document","observations":["1.0 rollback kernel meeting roadmap alpha partner meeting granite cluster summer","1.1 thread kernel silver orchard 東京 partner thread lantern harbor tensor lantern quokka","1.2 vector proposal vector monitor parser meeting gamma proxy market sprint meadow"]}
{"type":"relation","from":"Entity_0000000","to":"Entity_0000000","relationType":"blocks"}
{"type":"relation","from":"Entity_0000000","to":"Entity_0000001","relationType":"reviews"}
{"type":"relation","from":"Entity_0000001","to":"Entity_0000001","relationType":"reviews"}
{"type":"relation","from":"Entity_0000001","to":"Entity_0000000","relationType":"works_at"}"#;

/// Figures of two machines can only be compared when the graphs are the same.
#[test]
fn a_benchmark_graph_has_the_same_bytes_everywhere() {
    assert_eq!(memory_file(2), TWO_ENTITIES);
    for (entities, length, sum) in [
        (1, 429, 0x6e04_d70c_7bad_965d),
        (7, 3728, 0x23a4_9c6a_53ea_7031),
        (10, 5304, 0x8c27_8f62_4b77_0d4a),
        (1000, 529_499, 0x6cfd_aafb_2896_732d),
    ] {
        let file = memory_file(entities);
        assert_eq!(
            (file.len(), fnv_1a(file.as_bytes())),
            (length, sum),
            "{entities} entities"
        );
    }
}

#[test]
fn a_benchmark_search_has_the_hits_it_says() {
    let file = memory_file(1000);
    let hits = file.lines().filter(|line| line.contains(NEEDLE)).count();
    assert_eq!(hits, HITS);
    let last = entity_name(999);
    assert!(file.contains(&format!(r#""name":"{last}""#)));
}

fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
