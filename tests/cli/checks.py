"""What is wrong is printed, and all of it is found in one run."""
_failures = []


def check(what, holds, shown=''):
    if not holds:
        _failures.append(what)
        print(f'{what}\n{shown}')


def have_failed():
    return bool(_failures)
