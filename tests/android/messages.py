"""Whether what monitors tell of an app's slow messages is true: what Measure saw of each (FACT message, at least and
at most so many nanoseconds, its text) is held against what was told (FACT issue)."""
import json

import judge

MS = 1000000
SLACK = 15 * MS  # of the coarse clock that times messages
NEVER = 600000  # ms
STAGES = {'NORMAL': 700, 'LAG': 2000, 'ANR': 5000}  # ms
# No other rule has to say something of a message, and a busy machine is no gap.
SETTINGS = {'evil_ms': 700, 'lag_ms': 2000, 'anr_ms': 5000, 'hang_ms': NEVER, 'gap_ms': NEVER,
            'cpu_enable': 0, 'often': '', 'background_ms': 60000,
            **{f'start_{name}_ms': NEVER for name in ('cold', 'warm')}}


def issues_of(facts):
    """Of all kinds, by time."""
    return sorted((json.loads(text) for text in facts.get('issue', [])),
                  key=lambda issue: issue['methodbeat'].get('begin_ns', 0))


def stages_of(shortest, longest, stages):
    """What a message of that length may be found to be; None: nothing."""
    return {[None, *(detail for detail, limit in stages.items() if length >= limit * MS)][-1]
            for length in (shortest - SLACK, longest + SLACK)}


def judge_slow(level, facts, stages):
    """The issues of slow messages since Measure began, once for each that was slow; nothing else is one."""
    since = int(facts['since'][0])  # what was before it, nobody measured
    found = [issue for issue in issues_of(facts) if issue['methodbeat']['detail'] in stages and
             issue['methodbeat']['begin_ns'] > since - SLACK]
    left = list(found)
    for text in facts.get('message', []):
        shortest, longest, message = text.split(' ', 2)
        shortest, longest = int(shortest), int(longest)
        own = left[0]['methodbeat'] if left else None
        is_told = own and shortest - SLACK <= own['cost_ns'] <= longest + SLACK and own['message'] in message
        issue = left.pop(0) if is_told else {}
        detail = issue['methodbeat']['detail'] if is_told else None
        limits = stages if issue.get('isProcessForeground', True) else {**stages, 'ANR': 2 * stages['ANR']}
        judge.check(detail in stages_of(shortest, longest, limits),
                    f'level {level}: a message of {shortest} to {longest} ns is {detail}: {message}')
    judge.check(not left, f'level {level}: nothing was slow for {left}')
    return found


def names_of(level, mapping, issues):
    """The issues as people read them."""
    file = judge.scratch(f'issues-{level}.json')
    with open(file, 'w', encoding='utf-8') as out:
        out.write(''.join(json.dumps(issue) + '\n' for issue in issues))
    return judge.must((judge.METHODBEAT, 'issues', '--top', '1000', '--method-map', mapping, file)).stdout
