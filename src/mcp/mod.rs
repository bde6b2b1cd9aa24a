//! The wire: MCP on stdio, both protocol eras.
