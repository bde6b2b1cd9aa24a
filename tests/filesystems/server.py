"""The built server as a client sees it, and the directory it works in.

Standard library only: this also runs in the guest, which has nothing else.
"""

import ctypes
import json
import os
import pathlib
import queue
import signal
import struct
import subprocess
import threading
import time

# Longer than any write may wait for the lock.
ANSWER = 75.0


class NoAnswer(Exception):
    """The server died, or said nothing for too long."""


class Server:
    """One server on one memory file; a call at a time and thread."""

    def __init__(self, binary, file, *flags):
        self.process = subprocess.Popen(
            [binary, "--memory-file", str(file), *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._replies = queue.Queue()
        self._id = 0
        self.updates = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "checks", "version": "1"}}
        self.request("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "id" in message:
                self._replies.put(message)
            else:
                self.updates.put(message)
        self._replies.put(None)

    def _send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise NoAnswer(f"the server takes no input: {error}") from None

    def request(self, method, params):
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        try:
            message = self._replies.get(timeout=ANSWER)
        except queue.Empty:
            raise NoAnswer(f"no answer to {method} in {ANSWER:.0f} s") from None
        if message is None:
            raise NoAnswer("the server has ended")
        return message

    def call(self, tool, **arguments):
        """The first text item; an error that a tool reports is a ToolError."""
        message = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = message["result"]["content"][0]["text"]
        if message["result"].get("isError"):
            raise ToolError(text)
        return text

    def create(self, name, observation="o"):
        self.call("create_entities", entities=[{"name": name, "entityType": "t", "observations": [observation]}])

    def graph(self):
        """Every entity's name with its first observation."""
        graph = json.loads(self.call("read_graph"))
        return {entity["name"]: "".join(entity["observations"][:1]) for entity in graph["entities"]}

    def subscribe(self):
        self.request("resources/subscribe", {"uri": "memory://knowledge-graph"})

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        try:
            # One that waits for a dead file system cannot even be killed.
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            pass

    def close(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.kill()


class ToolError(Exception):
    """A tool's own error, as a model would see it."""


class Writer(threading.Thread):
    """A server that creates entities, one after the other, until told to stop."""

    def __init__(self, server, prefix, count=None):
        super().__init__(daemon=True)
        self.server = server
        self.prefix = prefix
        self.count = count
        self.answered = []
        self.errors = []
        self.enough = False
        self.longest = 0.0
        self.start()

    def run(self):
        number = 0
        while not self.enough and (self.count is None or number < self.count):
            name = f"{self.prefix}-{number}"
            number += 1
            began = time.monotonic()
            try:
                self.server.create(name)
                self.answered.append(name)
            except ToolError as error:
                self.errors.append(str(error))
            except NoAnswer:
                return
            self.longest = max(self.longest, time.monotonic() - began)


# From inotify(7).
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200


class Names:
    """What happens to the names in a directory, one event after the other."""

    def __init__(self, directory):
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        mask = MOVED_FROM | MOVED_TO | CREATE | DELETE
        if libc.inotify_add_watch(self._descriptor, os.fsencode(directory), mask) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._descriptor)

    def read(self):
        """(mask, name) of each event since the last call."""
        try:
            data = os.read(self._descriptor, 65536)
        except BlockingIOError:
            return []
        events = []
        while data:
            _, mask, _, length = struct.unpack("iIII", data[:16])
            events.append((mask, data[16 : 16 + length].rstrip(b"\0").decode()))
            data = data[16 + length :]
        return events


def until(condition, seconds):
    """Looks until `condition` is true; how long it took, None if it never was."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if condition():
            return time.monotonic() - began
        time.sleep(0.01)
    return None


def leftovers(directory, *expected):
    return sorted(name.name for name in pathlib.Path(directory).iterdir() if name.name not in expected)
