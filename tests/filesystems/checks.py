#!/usr/bin/env python3
"""Plays clients against the built server in one directory, and says what holds.

    checks.py BINARY DIRECTORY [--name NAME] [--view DIRECTORY] [--back DIRECTORY] [--rounds N] [--only CHECK,…]

DIRECTORY lies on the file system in question. `--view` is the same directory
as another client of that file system sees it (a second mount, or what a mount
shows from below); `--back` is where it really lies, if names can be seen there.
Each check prints a line `NAME<tab>CHECK<tab>RESULT<tab>DETAIL`. RESULT is `ok`,
`FAIL`, `-` where the check has no meaning, or a figure.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sys
import time

from server import DELETE, MOVED_FROM, MOVED_TO, Names, NoAnswer, Server, ToolError, Writer, leftovers, until

FILE = "memory.jsonl"
LOCK = FILE + ".lock"


class Failed(Exception):
    """A promise that does not hold here."""


class Skipped(Exception):
    """A check that has no meaning here."""


class Measured(Exception):
    """A figure, which is neither right nor wrong."""


class Place:
    """A fresh directory for one check, in each view of it."""

    def __init__(self, arguments, check):
        self.binary = arguments.binary
        self.rounds = arguments.rounds
        self.name = check
        self.directory = pathlib.Path(arguments.directory) / check
        self.view = arguments.view and pathlib.Path(arguments.view) / check
        self.back = arguments.back and pathlib.Path(arguments.back) / check
        self.directory.mkdir()
        self.file = self.directory / FILE
        self.lock = self.directory / LOCK
        if self.view and until(self.view.is_dir, 70) is None:
            raise Failed("the other view does not show the directory")

    def server(self, *flags, view=False):
        return Server(self.binary, (self.view if view else self.directory) / FILE, *flags)

    def needs_view(self):
        if not self.view:
            raise Skipped("one view only")


def missing(answered, stored):
    lost = [name for name in answered if name not in stored]
    if lost:
        raise Failed(f"{len(lost)} of {len(answered)} answered writes lost")


def finish(writers):
    """Waits for them; what went wrong is told once all are done."""
    for writer in writers:
        writer.join()
    answered = [name for writer in writers for name in writer.answered]
    errors = [error for writer in writers for error in writer.errors]
    return answered, errors, max(writer.longest for writer in writers)


def told(errors, of):
    if errors:
        raise Failed(f"{len(errors)} of {of} writes failed: {errors[0].splitlines()[0]}")


def write(place):
    """A write and a read, and another server's read."""
    with place.server("--lock-timeout", "10") as server:
        server.create("first")
        server.create("second", "größer ✓")
        with place.server() as other:
            if server.graph() != {"first": "o", "second": "größer ✓"} or other.graph() != server.graph():
                raise Failed("what was written is not what is read")
    left = leftovers(place.directory, FILE)
    if left and until(lambda: not leftovers(place.directory, FILE), 5) is None:
        raise Failed(f"left: {', '.join(left)}")


def three(place):
    """Three servers that write at once: every write succeeds, none is lost."""
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(place.server()) for _ in range(3)]
        writers = [Writer(server, f"w{number}", place.rounds) for number, server in enumerate(servers)]
        answered, errors, longest = finish(writers)
        missing(answered, servers[0].graph())
        told(errors, 3 * place.rounds)
    return f"longest wait {longest:.1f} s"


def killed(place):
    """kill -9 of a writer that holds the lock."""
    answered, waits, held = [], [], 0
    deadline = time.monotonic() + 180
    for number in range(1000):
        if held >= max(2, place.rounds // 5) or time.monotonic() > deadline:
            break
        victim = place.server()
        writer = Writer(victim, f"v{number}")
        until_lock = time.monotonic() + 20
        while not os.path.lexists(place.lock) and time.monotonic() < until_lock:
            pass
        victim.process.send_signal(signal.SIGSTOP)
        if number % 3:
            time.sleep(0.005 * (number % 3))
        caught = os.path.lexists(place.lock)
        victim.kill()
        writer.join()
        told(writer.errors, len(writer.answered) + len(writer.errors))
        answered += writer.answered
        held += caught and os.path.lexists(place.lock)
        with place.server() as survivor:
            before = survivor.graph()
            missing(answered, before)
            began = time.monotonic()
            try:
                survivor.create(f"s{number}")
            except ToolError as error:
                raise Failed(f"a write after the kill fails: {str(error).splitlines()[0]}") from None
            answered.append(f"s{number}")
            waits.append(time.monotonic() - began)
    with place.server() as last:
        missing(answered, last.graph())
    if held == 0:
        raise Failed("no kill hit a holder of the lock, so nothing was shown")
    left = leftovers(place.directory, FILE)
    if left and until(lambda: not leftovers(place.directory, FILE), 5) is None:
        raise Failed(f"left: {', '.join(left)}")
    return f"{held} killed with the lock, longest wait after it {max(waits):.1f} s"


def stale(place):
    """An old lock that no program of ours made is in nobody's way."""
    with place.server() as server:
        server.create("before")
        place.lock.write_text("4711\n")
        os.utime(place.lock, (946684800, 946684800))
        began = time.monotonic()
        server.create("after")
        waited = time.monotonic() - began
    return f"broken after {waited:.1f} s"


def entity(observation):
    return json.dumps({"type": "entity", "name": "a", "entityType": "t", "observations": [observation]}) + "\n"


def same_size(place):
    """A change of the same size by another program is seen by the next read."""
    place.file.write_text(entity("A0"))
    with place.server() as server:
        for number in range(1, 10):
            time.sleep([0, 0.05, 0.3][number % 3])
            server.graph()
            if number % 2:
                place.file.write_text(entity(f"A{number}"))
            else:
                fresh = place.directory / "fresh"
                fresh.write_text(entity(f"A{number}"))
                fresh.rename(place.file)
            if server.graph() != {"a": f"A{number}"}:
                raise Failed(f"change {number} is not seen")


def same_stamp(place):
    """The same, when that program sets the time stamp back."""
    for pause in (0, 2.7):
        place.file.write_text(entity("A1"))
        with place.server() as server:
            time.sleep(pause)
            server.graph()
            stamp = place.file.stat().st_mtime_ns
            place.file.write_text(entity("A2"))
            os.utime(place.file, ns=(stamp, stamp))
            if server.graph() != {"a": "A2"}:
                raise Failed("the change is not seen")


def fill(path):
    with open(path, "wb", buffering=0) as filler:
        for size in (1 << 20, 4096, 512):
            block = b"\xa5" * size
            with contextlib.suppress(OSError):
                while True:
                    filler.write(block)
                    # Else a cache takes more than there is space for.
                    os.fsync(filler.fileno())


def full(place):
    """A full file system is an error, costs nothing, and is over when there is space."""
    space = os.statvfs(place.directory)
    if space.f_blocks * space.f_frsize > 1 << 30:
        raise Skipped("too large to fill")
    filler = place.directory / "filler"
    with place.server("--lock-timeout", "10") as server:
        server.create("before")
        fill(filler)
        # Blocks that a file system still had in reserve are used up as well.
        stored = {"before"}
        for number in range(30):
            try:
                server.create(f"large-{number}", "x" * 500_000)
                stored.add(f"large-{number}")
            except ToolError:
                break
        else:
            raise Failed("writes on a full file system succeed")
        if set(server.graph()) != stored:
            raise Failed("after the error the memory is another")
        with contextlib.suppress(OSError):
            os.truncate(filler, 0)
        filler.unlink()
        os.sync()
        errors = []

        def works():
            try:
                server.create("after")
            except ToolError as error:
                errors.append(str(error).splitlines()[0])
                return False
            return True

        if until(works, 20) is None:
            raise Failed(f"no write after it: {errors[-1]}")
        with place.server() as other:
            if set(other.graph()) != stored | {"after"}:
                raise Failed("what was answered is not there")
    left = leftovers(place.directory, FILE)
    if left:
        raise Failed(f"left: {', '.join(left)}")


def subscriber(place):
    """A subscriber hears of what another program wrote."""
    with place.server() as listener, place.server() as writer:
        writer.create("before")
        listener.graph()
        listener.subscribe()
        while not listener.updates.empty():
            listener.updates.get()
        writer.create("after")
        took = until(lambda: not listener.updates.empty(), 60)
    if took is None:
        raise Failed("nothing heard")
    if took > 5:
        raise Failed(f"heard after {took:.1f} s")
    return f"heard after {took:.2f} s"


def reads(place, view):
    """How many reads were made while others wrote, none of them of less than was there."""
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(place.server()) for _ in range(2)]
        reader = stack.enter_context(place.server(view=view))
        servers[0].create("first")
        if until(lambda: "first" in reader.graph(), 70) is None:
            raise Failed("the first entity is never seen")
        writers = [Writer(server, f"w{number}", place.rounds) for number, server in enumerate(servers)]
        count, least, bad = 0, 1, []
        while any(writer.is_alive() for writer in writers):
            before = [] if view else [name for writer in writers for name in list(writer.answered)]
            try:
                stored = reader.graph()
                count += 1
                if len(stored) < least or any(name not in stored for name in before):
                    bad.append("an empty memory" if not stored else f"{len(stored)} entities after {least}")
                least = max(least, len(stored))
            except ToolError as error:
                bad.append(str(error).splitlines()[0])
        answered, errors, _ = finish(writers)
        if bad:
            raise Failed(f"{len(bad)} of {count} reads wrong: {bad[0]}")
        if until(lambda: all(name in reader.graph() for name in answered), 70) is None:
            missing(answered, reader.graph())
        told(errors, 2 * place.rounds)
    return f"{count} reads"


def reader(place):
    """A read during writes holds all that was answered before it."""
    return reads(place, False)


def view_reader(place):
    """A read in the other view never goes back, and never finds nothing."""
    place.needs_view()
    return reads(place, True)


def view_writers(place):
    """Writers in both views lose nothing of each other."""
    place.needs_view()
    with place.server() as one, place.server(view=True) as two:
        one.create("first")
        if until(lambda: "first" in two.graph(), 70) is None:
            raise Failed("the other view never shows the first entity")
        writers = [Writer(one, "one", place.rounds), Writer(two, "two", place.rounds)]
        answered, errors, longest = finish(writers)
        if until(lambda: all(name in one.graph() for name in answered), 70) is None:
            missing(answered, one.graph())
        told(errors, 2 * place.rounds)
    return f"longest wait {longest:.1f} s"


def view_age(place):
    """How old what a reader in the other view gets can be."""
    place.needs_view()
    ages = []
    with place.server() as one, place.server(view=True) as two:
        one.create("first")
        if until(lambda: "first" in two.graph(), 70) is None:
            raise Failed("nothing is ever seen")
        for number in range(3):
            one.create(f"n{number}")
            ages.append(until(lambda: f"n{number}" in two.graph(), 70))
    if None in ages:
        raise Failed("a write is never seen")
    raise Measured(f"{max(ages):.1f} s")


def never_gone(place):
    """Below the mount, the memory file is replaced in one step."""
    if not place.back or not place.back.is_dir():
        raise Skipped("names cannot be seen from below")
    with place.server() as server, Names(place.back) as names:
        server.create("first")
        for number in range(5):
            server.create(f"n{number}")
            server.graph()
        for mask, name in names.read():
            if name == FILE and mask & (MOVED_FROM | DELETE):
                raise Failed("each write first moves the old file away")
    if leftovers(place.back, FILE):
        raise Failed(f"left: {', '.join(leftovers(place.back, FILE))}")


def cut(place, others):
    """Kills a writer at each step that names show; the memory is never less."""
    if not place.back or not place.back.is_dir():
        raise Skipped("names cannot be seen from below")
    answered, hit = ["first"], 0
    with place.server() as server:
        server.create("first")
    for number in range(max(2, place.rounds // 3)):
        with contextlib.ExitStack() as stack:
            if others:
                stack.enter_context(open(place.file, "rb"))
            names = stack.enter_context(Names(place.back))
            victim = place.server()
            writer = Writer(victim, f"v{number}", 1)

            def moved():
                return any(mask & (MOVED_FROM | MOVED_TO) for mask, _ in names.read())

            if until(moved, 30) is not None:
                hit += 1
            victim.kill()
            writer.join()
            answered += writer.answered
        with place.server() as next_one:
            stored = next_one.graph()
            if not stored and others:
                # Whoever writes next must find the memory, at the latest.
                pass
            else:
                missing(answered, stored)
            try:
                next_one.create(f"s{number}")
            except ToolError as error:
                raise Failed(f"a write after the kill fails: {str(error).splitlines()[0]}") from None
            answered.append(f"s{number}")
            missing(answered, next_one.graph())
    if not hit:
        raise Failed("no kill hit a rename, so nothing was shown")
    return f"{hit} kills during a rename"


def cut_alone(place):
    """A kill in the middle of the replacement loses nothing."""
    return cut(place, False)


def cut_open(place):
    """The same while another program has the memory file open."""
    return cut(place, True)


CHECKS = {
    "write": write,
    "3 writers": three,
    "kill": killed,
    "old lock": stale,
    "same size": same_size,
    "same stamp": same_stamp,
    "subscriber": subscriber,
    "reader": reader,
    "one step": never_gone,
    "kill in rename": cut_alone,
    "kill in rename of an open file": cut_open,
    "2 views: reader": view_reader,
    "2 views: writers": view_writers,
    "2 views: age": view_age,
    # Last, because some programs that are a file system end over it.
    "full": full,
}
# These want a file system whose calls take long enough to be hit.
SLOW = ("kill in rename", "kill in rename of an open file")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("directory")
    parser.add_argument("--name", default="here")
    parser.add_argument("--view")
    parser.add_argument("--back")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--without", help="a check that cannot be made here")
    parser.add_argument("--slow", action="store_true", help="only what calls must be slow for: kills in the middle of one")
    arguments = parser.parse_args()
    useless = False
    for check, run in CHECKS.items():
        if check == arguments.without or (check in SLOW) != arguments.slow or arguments.only and check not in arguments.only:
            continue
        place = None
        began = time.monotonic()
        try:
            if useless:
                raise Skipped("no write works")
            # What a server hands out several file systems may show.
            place = Place(arguments, f"{arguments.name}_{check.translate(str.maketrans(' :,', '___'))}")
            result, detail = "ok", run(place) or ""
        except Measured as error:
            result, detail = str(error), ""
        except Skipped as error:
            result, detail = "-", str(error)
        except (Failed, ToolError, NoAnswer, OSError) as error:
            result, detail = "FAIL", (str(error).splitlines() or ["?"])[0]
            useless = check == "write"
        for path in filter(None, (place and place.directory, place and place.view, arguments.directory)):
            detail = detail.replace(f"{path}/", "")
        print(arguments.name, check, result, detail, f"{time.monotonic() - began:.1f} s", sep="\t", flush=True)
        if place:
            shutil.rmtree(place.directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
