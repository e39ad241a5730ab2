"""CPU time of a Java program's own threads, without those of the JVM and of the recorder."""
import os
import subprocess
import time

EVERY = 0.02  # seconds
NOT_ITS_OWN = ('C1 ', 'C2 ', 'G1 ', 'GC ', 'VM ', 'Signal Dispatch', 'Service Thread', 'Sweeper thread',
               'Monitor Deflati', 'Common-Cleaner', 'Finalizer', 'Reference Handl', 'Notification Th',
               'Attach Listener', 'JFR ', 'methodbeat')


def watch(command, timeout, **more):
    """Exit code, and seconds. What a thread does after the last look at it is missing."""
    seconds = {}
    end = time.monotonic() + timeout
    with subprocess.Popen(command, **more) as process:
        try:
            while process.poll() is None:
                look(process.pid, seconds)
                if time.monotonic() > end:
                    raise RuntimeError(f'longer than {timeout} s')
                time.sleep(EVERY)
        finally:
            process.kill()
    return process.returncode, sum(seconds.values())


def look(process, seconds):
    folder = f'/proc/{process}/task'
    for task in names_in(folder):
        try:
            with open(f'{folder}/{task}/comm', encoding='utf-8', errors='replace') as file:
                name = file.read()
            with open(f'{folder}/{task}/schedstat', encoding='ascii') as file:
                used = int(file.read().split()[0]) / 1e9
        except (OSError, IndexError):  # it has ended
            continue
        if not name.startswith(NOT_ITS_OWN):
            seconds[task] = used
        else:
            seconds.pop(task, None)  # it had another name before


def names_in(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []
