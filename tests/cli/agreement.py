"""Text and page of one trace: the first rows of their tables name the same methods, and threads."""
import re

MARKS = re.compile(r'( (~|\^|\?\d+%|\+-\d+%|\+|with \S+|\((waits\??|ready|recurses|main|main thread)\)|'
                   r'\(\d+ threads\)|\(suspend[^)]*\)))+$')
FIRST = 3


def named(cell):
    return MARKS.sub('', ' '.join(cell.split()))


def rows_of_text(text, heading):
    """What the rows below a heading are of, without what is said in lines of their own."""
    if f'\n{heading}' not in text:
        return []
    lines = text.split(f'\n{heading}', 1)[1].split('\n\n', 1)[0].splitlines()[2:]
    found = [re.split(r'  +', line.strip())[-1] for line in lines if re.match(r' +[<\d][\d.]* ?(s|ms|us|ns|%) ', line)]
    return [named(name) for name in found if 'of 1 to 4 samples' not in name][:FIRST]


def rows_of_page(page, section):
    rows = [row for row in page.body(section) if 'in between' not in row[-1]]
    return [named(row[-1]) for row in rows][:FIRST]


def costs_of_data(page):
    """Methods in the order in which the page's program shows them."""
    if 'figures' not in page.elements:
        return []
    ids, _, _, owns, _, _, _, _, _, waits = page.columns('figures', 10)
    order = sorted(range(len(ids)), key=lambda at: (waits[at], -owns[at], ids[at]))
    return [page.names()[at] for at in order][:FIRST]


def differences(text, page):
    """(table, of the text, of the page) where they are not the same; times may be equal, so the order of costs is the
    page's own if the text has only part of them."""
    costs = rows_of_text(text, 'What costs most')
    pools = [name.removesuffix('*') for name in rows_of_text(text, 'Threads')]
    threads = [next((pool for pool in pools if named(row[-1]).startswith(pool)), named(row[-1])) for row in page.body('threads')]
    found = [('threads', pools, list(dict.fromkeys(threads))[:len(pools)]),
             ('hot path', rows_of_text(text, 'Hot path of'), rows_of_page(page, 'path')),
             ('costs', costs, rows_of_page(page, 'methods')[:len(costs)]),
             ('costs, drawn', costs, costs_of_data(page)[:len(costs)])]
    return [(what, one, other) for what, one, other in found if one != other]
