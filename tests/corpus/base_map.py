"""A base map keeps every id it lists, gone methods included, and numbers new ones behind them."""
import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402


def without(jar, target, is_gone):
    """A copy of the jar that lacks some classes."""
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(target, 'w') as new:
        for entry in old.infolist():
            if not is_gone(entry.filename):
                new.writestr(entry, old.read(entry))
    return target


def mapping(output, *arguments):
    judge.instrument('--output', output, *arguments)
    return os.path.join(output, 'methodMapping.txt')


def main():
    guava, yui = judge.corpus('guava', 'yui')
    first_map = mapping(judge.scratch('first'), guava)
    first = judge.traced(first_map)
    cut = without(guava, judge.scratch('guava.jar'), lambda name: '/collect/Im' in name)
    # Classes have gone, others have come, and the ids in the code are those of the new map.
    second_map = mapping(judge.scratch('second'), '--base-method-map', first_map, yui, cut)
    second = judge.traced(second_map)
    new = [row for row in second if row not in set(first)]
    judge.check(set(first) <= set(second), 'every listed method keeps its id')
    judge.check(len({number for number, _ in second}) == len(second), 'no id twice')
    judge.check(new and min(number for number, _ in new) == max(number for number, _ in first) + 1,
                'new ids start behind the last old one')
    judge.check(all('yahoo' in name or 'mozilla' in name or 'jargs' in name for _, name in new),
                f'only new classes get new ids: {new[:3]}')
    # All classes are back: nothing new, the same map.
    third_map = mapping(judge.scratch('third'), '--base-method-map', second_map, guava, yui)
    judge.check(judge.read(third_map) == judge.read(second_map), 'a map that has all stays the same')
    judge.check(judge.read(third_map).endswith(
        '1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n'), 'the last line')
    print(f'{len(first)} ids kept, {len(new)} new')
    judge.finish()


main()
