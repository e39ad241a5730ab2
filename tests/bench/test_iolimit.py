#!/usr/bin/env python3
"""usage: test_iolimit.py IOLIMIT: the yardstick does the whole work, whatever the threads."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import zipfile

PIECE, PROBE = 60, 6


def make_inputs(folder):
    """A jar with stored, deflated and other entries, and the same as a folder."""
    generator = random.Random(1)
    contents = {f"a/C{i}.class": bytes(generator.randrange(32) for _ in range(40 * i))
                for i in range(200)}
    contents["a/text"] = b"no class"
    with zipfile.ZipFile(folder / "in.jar", "w") as jar:
        for number, (name, content) in enumerate(contents.items()):
            jar.writestr(name, content, zipfile.ZIP_DEFLATED if number % 3 else zipfile.ZIP_STORED)
    for name, content in contents.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_bytes(content)
    return contents


def run(iolimit, folder, threads, compression):
    output = folder / f"out-{threads}-{compression}"
    printed = subprocess.run([iolimit, f"--threads={threads}", f"--compression={compression}",
                              f"--output={output}", folder / "in.jar", folder / "in"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    return output, json.loads(printed)


def check(output, contents):
    with zipfile.ZipFile(output / "0-in.jar") as jar:
        assert jar.testzip() is None
        assert sorted(jar.namelist()) == sorted(contents)
        for name, content in contents.items():
            growth = len(content) // PIECE * PROBE if name.endswith(".class") else 0
            assert jar.getinfo(name).file_size == len(content) + growth, name
            assert (output / "1-in" / name).read_bytes() == jar.read(name), name


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    contents = make_inputs(folder)
    for compression in ("store", "fast", "best"):
        one, counts = run(sys.argv[1], folder, 1, compression)
        three, _ = run(sys.argv[1], folder, 3, compression)
        check(one, contents)
        assert (one / "0-in.jar").read_bytes() == (three / "0-in.jar").read_bytes()
        assert counts["classes"] == 400
        assert counts["class_bytes"] == 2 * sum(map(len, contents.values())) - 2 * len(b"no class")
