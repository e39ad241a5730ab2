#!/usr/bin/env python3
"""Time methodbeat and its rival on the same inputs, interleaved, and print tables.

Called by run.sh, which builds the programs and makes the inputs.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import zipfile

import report

JARS_ON_ASM = ["asm.jar", "asm-tree.jar", "asm-commons.jar"]
WARM_REPETITIONS = 5
RIVAL_LEVEL = 6  # what java.util.zip uses when nobody asks
LARGE = 200e6  # bytes of classes from which one run a round is enough

Sample = collections.namedtuple("Sample", "wall cpu memory size")  # s, s, bytes, bytes
Input = collections.namedtuple("Input", "name paths is_jar")


class Programs:
    """Runs one program on one input with an output folder of its own that is gone afterwards."""

    def __init__(self, build, work, java_classes):
        self.methodbeat = build / "src/cli/methodbeat"
        self.bench = build / "tests/bench"
        self.work = work
        self.java = ["java", "-cp", ":".join(
            [str(java_classes)] + ["/usr/share/java/" + jar for jar in JARS_ON_ASM]), "Rival"]

    def timed(self, command):
        """(wall, cpu, peak memory) of the command, and what it printed."""
        result = self.work / "timed.txt"
        result.unlink(missing_ok=True)
        done = subprocess.run([self.bench / "timed", result, *command], stdout=subprocess.PIPE,
                              check=False, text=True)
        if done.returncode != 0:
            sys.exit(f"bench: exit code {done.returncode} from: {' '.join(map(str, command))[:400]}")
        wall, user, system, memory = map(int, result.read_text().split())
        return wall / 1e6, (user + system) / 1e6, memory * 1024, done.stdout

    def sample(self, command, output):
        """Run a command that writes to a fresh folder; its last line is returned as well."""
        clear(output)
        output.mkdir(parents=True)
        wall, cpu, memory, printed = self.timed(command)
        size = sum(path.stat().st_size for path in output.rglob("*")
                   if path.is_file() and not path.name.endswith("Mapping.txt"))
        clear(output)
        lines = printed.splitlines()
        return Sample(wall, cpu, memory, size), lines[-1] if lines else ""

    def instrument(self, paths, output, compression="fast", threads=2, state=None):
        command = [self.methodbeat, "instrument", "--quiet", f"--jobs={threads}",
                   f"--compression={compression}", f"--output={output / 'out'}",
                   f"--method-map={output / 'methodMapping.txt'}",
                   f"--ignore-map={output / 'ignoreMethodMapping.txt'}"]
        return command + ([f"--state={state}"] if state else []) + list(paths)

    def ours(self, paths, **options):
        output = self.work / "output"
        return self.sample(self.instrument(paths, output, **options), output)[0]

    def rival(self, paths, repetitions):
        output = self.work / "output"
        sample, printed = self.sample(
            [*self.java, output, str(RIVAL_LEVEL), str(repetitions), *paths], output)
        return sample, float(printed.split()[0]) / 1e3


def clear(folder):
    """Delete and wait for the disk, so that the next run does not pay for it."""
    if folder.exists():
        shutil.rmtree(folder)
        os.sync()


def contenders(programs, paths, has_rival):
    """name -> function that gives one Sample. The order is that of each round."""
    runs = {
        "fast": lambda: programs.ours(paths),
        "fast, 1 thread": lambda: programs.ours(paths, threads=1),
        "store": lambda: programs.ours(paths, compression="store"),
        "best": lambda: programs.ours(paths, compression="best"),
    }
    if has_rival:
        runs["rival cold"] = lambda: programs.rival(paths, 1)[0]
        runs["rival warm"] = lambda: warm(programs, paths)
    return runs


def warm(programs, paths):
    sample, last_wall = programs.rival(paths, WARM_REPETITIONS)
    return sample._replace(wall=last_wall)


def count_class_bytes(path):
    """Of all classes in a jar, or below a folder."""
    if path.is_dir():
        return sum(len(file.read_bytes()) for file in path.rglob("*.class"))
    path.read_bytes()
    with zipfile.ZipFile(path) as jar:
        return sum(entry.file_size for entry in jar.infolist() if entry.filename.endswith(".class"))


def compare(programs, item, pairs, has_rival):
    """name -> one Sample a round; a round visits all contenders, the quick ones three times."""
    class_bytes = sum(map(count_class_bytes, item.paths))  # also warms the page cache
    repeats = 1 if class_bytes > LARGE else 3
    runs = contenders(programs, item.paths, has_rival)
    rounds = collections.defaultdict(list)
    for number in range(pairs):
        print(f"{item.name}: round {number + 1} of {pairs}", file=sys.stderr)
        taken = collections.defaultdict(list)
        for repeat in range(repeats):
            for name, run in runs.items():
                if repeat == 0 or not name.startswith("rival"):
                    taken[name].append(run())
        for name, samples in taken.items():
            rounds[name].append(Sample(*(statistics.median(column) for column in zip(*samples))))
    return {"class_bytes": class_bytes, "is_jar": item.is_jar, "rounds": dict(rounds)}


def start_up(programs, small_jar, count):
    """Medians in seconds."""
    version = [programs.timed([programs.methodbeat, "--version"])[0] for _ in range(count)]
    small = [programs.ours([small_jar]).wall for _ in range(count)]
    return {"version": statistics.median(version), "small jar": statistics.median(small)}


def other_version(jar, copy):
    """A copy of the jar in which one class has another SourceFile."""
    is_changed = False
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in {entry.filename: entry for entry in old.infolist()}.values():
            content = old.read(entry)
            if not is_changed and entry.filename.endswith(".class") and b".java" in content:
                content = content.replace(b".java", b".jav_", 1)
                is_changed = True
            new.writestr(entry, content)
    if not is_changed:
        sys.exit(f"bench: {jar}: no class to change")


def incremental(programs, paths, pairs):
    """Seconds of full runs, and of runs after one class of one jar changed."""
    folder = programs.work / "incremental"
    clear(folder)
    folder.mkdir()
    changing = folder / paths[len(paths) // 2].name
    versions = [paths[len(paths) // 2], folder / "changed.jar.keep"]
    other_version(*versions)
    shutil.copy(versions[0], changing)
    inputs = [changing if path == versions[0] else path for path in paths]
    output = folder / "output"
    output.mkdir()
    command = programs.instrument(inputs, output, state=folder / "state")
    programs.timed(command)
    full = []
    changed = []
    for number in range(pairs):
        print(f"incremental: round {number + 1} of {pairs}", file=sys.stderr)
        shutil.copy(versions[(number + 1) % 2], changing)
        changed.append(programs.timed(command)[0])
        full.append(programs.ours(inputs).wall)
    clear(folder)
    return {"full": full, "changed": changed}


def in_memory(programs, jars, has_callgrind):
    """What bench_rewrite says, with instructions per class byte from callgrind."""
    bench = programs.bench / "bench_rewrite"
    results = []
    for jar in jars:
        result = json.loads(subprocess.run([bench, jar.paths[0]], check=True, text=True,
                                           stdout=subprocess.PIPE).stdout)
        result["input"] = jar.name
        if has_callgrind:
            result["instructions"] = {
                step: instructions(programs, bench, step, jar.paths[0]) / result["class_bytes"]
                for step in result["steps"]}
        results.append(result)
    return results


def instructions(programs, bench, step, jar):
    """Instructions that one run of a step executes."""
    profile = programs.work / "callgrind.out"
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}",
                    "--toggle-collect=run_step*", bench, f"--step={step}", "--repeats=1", jar],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    totals = [line for line in profile.read_text().splitlines() if line.startswith("totals:")]
    return int(totals[-1].split()[1])


def find_inputs(folder, names):
    """The folder holds a list of paths for each input, made by run.sh."""
    items = []
    for name in names:
        paths = [pathlib.Path(line) for line in (folder / (name + ".list")).read_text().split("\n")
                 if line]
        items.append(Input(name, paths, len(paths) == 1 and paths[0].is_file()))
    return items


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--rival", type=pathlib.Path, help="folder of its classes")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--no-callgrind", action="store_true")
    parser.add_argument("--small-jar", type=pathlib.Path, required=True)
    parser.add_argument("inputs", nargs="*")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    programs = Programs(arguments.build, arguments.work, arguments.rival)
    items = find_inputs(arguments.work / "inputs", arguments.inputs)
    results = {item.name: compare(programs, item, arguments.pairs, arguments.rival is not None)
               for item in items}
    several = [item for item in items if len(item.paths) > 1]  # one changed jar alone is all
    report.print_all(
        results=results,
        memory=in_memory(programs, [item for item in items if item.is_jar],
                         not arguments.no_callgrind),
        start_up=start_up(programs, arguments.small_jar, 10 * arguments.pairs),
        incremental=incremental(programs, several[0].paths, arguments.pairs) if several else None,
        pairs=arguments.pairs)


if __name__ == "__main__":
    main()
