//! Tests through the public face: the built binary and the library.

#[test]
fn placeholder() {}
