"""Tables of what measure.py found, in Markdown, and the goals they are held against."""

import os
import pathlib
import platform
import statistics
import subprocess

ALL = "everything"


def ratio(result, slow, fast):
    """Median over the rounds, each a pair of neighbours; None if one did not run."""
    pairs = zip(result["rounds"].get(slow, []), result["rounds"].get(fast, []))
    ratios = [a.wall / b.wall for a, b in pairs]
    return statistics.median(ratios) if ratios else None


def median(result, name, field):
    samples = result["rounds"].get(name)
    return statistics.median(getattr(sample, field) for sample in samples) if samples else None


def show(value, scale=1.0, digits=3, unit=""):
    """digits significant ones; a dash for what was not measured."""
    if value is None:
        return "-"
    value *= scale
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    return f"{value:.{max(0, digits - whole)}f}{unit}"


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def print_machine(pairs):
    def first_line(*command):
        done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.stdout.split("\n")[0]

    cpu = next((line.split(":")[1].strip() for line in
                pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    try:
        java = first_line("java", "-version")
    except OSError:
        java = "no JDK"
    print(f"{cpu}, {os.cpu_count()} cores, {memory:.0f} GiB; Linux {platform.release()}; {java}; "
          f"{first_line('cc', '--version')}. Medians of {pairs} rounds.\n")


def print_times(results):
    """Seconds, with what the runs cost."""
    rows = []
    for name, result in results.items():
        rows.append([name, show(result["class_bytes"], 1e-6)])
        for contender in ("fast", "fast, 1 thread", "store", "best", "rival cold", "rival warm"):
            rows[-1].append(show(median(result, contender, "wall")))
    print_table(["wall, s", "class MB", "fast", "1 thread", "store", "best", "rival cold",
                 "rival warm"], rows)
    rows = []
    for name, result in results.items():
        rows.append([name])
        for contender in ("fast", "rival cold"):
            rows[-1].append(show(median(result, contender, "cpu")))
        for contender in ("fast", "rival cold"):
            rows[-1].append(show(median(result, contender, "memory"), 1e-6))
        for contender in ("fast", "best", "store", "rival cold"):
            rows[-1].append(show(median(result, contender, "size"), 1e-6, 4))
    print_table(["", "CPU s: fast", "rival", "peak MB: fast", "rival", "output MB: fast", "best",
                 "store", "rival"], rows)


def print_memory(memory):
    if not memory:
        return
    rows = []
    for result in memory:
        steps = result["steps"]
        rows.append([result["input"]] + [show(step["median"]) for step in steps.values()] +
                    [show(result.get("instructions", {}).get(step)) for step in steps])
    names = list(memory[0]["steps"])
    print_table(["in memory, 1 thread"] + [name + ", MB/s" for name in names] +
                [name + ", instructions a byte" for name in names], rows)


def at_least(goal):
    return (lambda value: value >= goal), f"at least {goal:g}"


def at_most(goal):
    return (lambda value: value <= goal), f"at most {goal:g}"


def rival_goals(results):
    figures = [("wall against the rival, cold, fast", "rival cold", "fast", 25, 16),
               ("wall against the rival, cold, store", "rival cold", "store", 50, 35),
               ("wall against the rival, warm, fast", "rival warm", "fast", 13, 10),
               ("wall against the rival, cold, best", "rival cold", "best", 15, 10)]
    for figure, slow, fast, jar_goal, all_goal in figures:
        for name, result in results.items():
            if result["is_jar"] or name == ALL:
                yield (figure, name, ratio(result, slow, fast),
                       at_least(all_goal if name == ALL else jar_goal))


def own_goals(results):
    for name, result in results.items():
        if name in ("kotlin-deflated", ALL):
            yield ("2 threads against 1", name, ratio(result, "fast, 1 thread", "fast"),
                   at_least(1.75))
    if ALL in results:
        yield ("peak resident memory, MB", ALL, median(results[ALL], "fast", "memory") / 1e6,
               at_most(160))
    if ALL in results and "groovy" in results:
        per_byte = [median(results[name], "fast", "wall") / results[name]["class_bytes"]
                    for name in ("groovy", ALL)]
        yield ("seconds per class byte against groovy", ALL, per_byte[1] / per_byte[0],
               at_most(1.3))


def other_goals(memory, start_up, incremental):
    for result in memory:
        if "rewrite" in result["steps"]:
            yield ("rewrite in memory, one thread, MB/s", result["input"],
                   result["steps"]["rewrite"]["median"], at_least(700))
    if incremental is not None:
        yield ("one class changed against a full run, %", ALL,
               100 * statistics.median(incremental["changed"]) /
               statistics.median(incremental["full"]), at_most(5))
    yield "start-up: --version, ms", "", start_up["version"] * 1e3, at_most(5)
    yield "start-up: one small jar, ms", "", start_up["small jar"] * 1e3, at_most(10)


def print_goals(goals):
    rows = [[figure, name, show(value), goal, "ok" if is_reached(value) else "miss"]
            for figure, name, value, (is_reached, goal) in goals if value is not None]
    print_table(["figure", "input", "measured", "goal", ""], rows)


def print_all(results, memory, start_up, incremental, pairs):
    print_machine(pairs)
    print_times(results)
    print_memory(memory)
    print_goals([*rival_goals(results), *own_goals(results),
                 *other_goals(memory, start_up, incremental)])
