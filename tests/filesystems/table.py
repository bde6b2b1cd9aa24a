#!/usr/bin/env python3
"""Prints what checks.py found as a table, and fails on what is not expected.

    table.py RESULTS
    table.py --markdown RESULTS…    the table of docs/file-systems.md
"""

import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).parent


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row and row[0][0] != "#"]


def main(path):
    # Which of what cannot hold is known: (file system, check) -> why.
    known = {(name, check): why for name, check, why in rows(HERE / "expected.tsv")}
    found = {(row[0], row[1]): row for row in rows(path)}
    names = list(dict.fromkeys(name for name, _ in found))
    checks = list(dict.fromkeys(check for _, check in found if check != "all"))
    bad = []

    if checks:
        width = max(map(len, names))
        print(" " * width, *checks, sep="  ")
        for name in names:
            if found.get((name, "all"), [""] * 3)[2] == "skipped":
                continue
            cells = [found.get((name, check), ["", "", "-"])[2].center(len(check)) for check in checks]
            print(name.ljust(width), *cells, sep="  ")
        print()
    for (name, check), (_, _, result, detail, *_) in found.items():
        why = known.get((name, check))
        if result == "skipped":
            print(f"skipped: {name} ({detail})")
        elif result == "FAIL":
            print(f"{'known' if why else 'FAIL'}: {name}, {check}: {detail}{f' ({why})' if why else ''}")
            bad += [] if why else [(name, check)]
        elif result == "ok" and why:
            print(f"FAIL: {name}, {check} holds, and expected.tsv says that it does not")
            bad.append((name, check))
    held = sum(row[2] == "ok" for row in found.values())
    print(f"\n{'FAIL' if bad else 'ok'} file systems: {held} checks hold, {len(bad)} are not as expected")
    return 1 if bad else 0


def markdown(paths):
    found = {(row[0], row[1]): row[2] for path in paths for row in rows(path)}
    names = list(dict.fromkeys(name for name, _ in found))
    checks = list(dict.fromkeys(check for _, check in found if check != "all"))
    print("|", " | ".join(["", *checks]), "|")
    print("|---" * (len(checks) + 1) + "|")
    for name in names:
        if (name, "all") not in found:
            cells = [found.get((name, check), "-").replace("FAIL", "**no**") for check in checks]
            print("|", " | ".join([name, *cells]), "|")
    return 0


if __name__ == "__main__":
    sys.exit(markdown(sys.argv[2:]) if sys.argv[1] == "--markdown" else main(sys.argv[1]))
