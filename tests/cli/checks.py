"""What is wrong is printed, and all of it is found in one run."""
import tempfile

_failures = []


def check(what, holds, shown=''):
    if not holds:
        _failures.append(what)
        print(f'{what}\n{shown}')


def have_failed():
    return bool(_failures)


def run_all(names, bench):
    """Each test_... of the names, with a bench(folder) of its own; true if a check failed."""
    tests = [value for name, value in names.items() if name.startswith('test_')]
    assert tests
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(bench(folder))
    return have_failed()
