//! Flags, environment and the path rules.
