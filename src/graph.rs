//! The knowledge graph. No I/O, no async, no JSON.
