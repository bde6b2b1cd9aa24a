fn main() {
    mcp_memory::diagnostics::say("not built yet");
}
