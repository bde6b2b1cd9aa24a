"""One full session of an official Python client with the built server.

What is said and expected stands in script.json, for all clients alike; what
differs between the two releases of the client is passed in.
"""

import json
import pathlib
import sys
import tempfile
import time

SCRIPT = json.loads((pathlib.Path(__file__).parent.parent / "script.json").read_text("utf-8"))
COMMAND = sys.argv[1]

# The official clients wait this long after closing the server's input, and
# then kill it. A close that takes as long was no close.
GRACE = 2.0
UPDATE = 30.0


class Playground:
    """A directory of its own with a memory file in it."""

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="session-", dir=pathlib.Path(__file__).parent)
        self.directory = self._directory.name
        self.file = pathlib.Path(self.directory) / "memory.jsonl"
        self.environment = {"MEMORY_FILE_PATH": str(self.file)}
        return self

    def __exit__(self, *_):
        self._directory.cleanup()


def wire(model):
    """A result as it stood on the wire."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


async def play(client):
    """List, all tools, the resource; `client` has list_tools, call_tool and read_resource."""
    tools = wire(await client.list_tools())["tools"]
    expect("the tools", [tool["name"] for tool in tools], SCRIPT["tools"])
    for step in SCRIPT["steps"]:
        result = wire(await client.call_tool(step["tool"], step["arguments"]))
        text = result["content"][0]["text"]
        if "error" in step:
            expect(step["tool"], (result["isError"], text[: len(step["error"])]), (True, step["error"]))
            continue
        wanted = step.get("text") or json.dumps(step["value"], indent=2, ensure_ascii=False)
        expect(step["tool"], text, wanted)
        expect(step["tool"], result["structuredContent"], step["structured"])


async def read_resource(read, uri):
    contents = wire(await read(uri))["contents"]
    expect("the resource", json.loads(contents[0]["text"]), SCRIPT["resource"])


async def change(client):
    await client.call_tool(SCRIPT["update"]["tool"], SCRIPT["update"]["arguments"])


def check_file(file):
    expect("the file", file.read_text("utf-8"), "".join(line + "\n" for line in SCRIPT["file"]))


def expect(what, got, wanted):
    if got != wanted:
        raise AssertionError(f"{what}: expected {wanted!r}\n got {got!r}")


class Closing:
    """Measures from `begin` to `report`."""

    def begin(self):
        self._start = time.monotonic()

    def report(self, label, version):
        took = time.monotonic() - self._start
        if took >= GRACE:
            raise AssertionError(f"{label}: the server had to be killed, after {took * 1000:.0f} ms")
        print(f"ok {label} ({version}), closed in {took * 1000:.0f} ms", flush=True)
