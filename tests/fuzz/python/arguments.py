"""Bytes as small numbers, and as the options and operands of a command."""

import functools

import ugt.cli
from ugt.cli.command import commands_of, options_of


def words(text):
    """The words of a text."""
    return text.split()


INPUTS = {
    "labels.csv": "case,annotator,label\n" + "".join(f"c{i % 7},r{i % 3},{'abc'[(i * i + i // 7) % 3]}\n" for i in range(21)),
    "ratings.csv": "case,annotator,value\n" + "".join(f"c{i % 7},r{i // 7},{(i * 5) % 4}\n" for i in range(21)),
    "rankings.csv": "case,annotator,ranking\n" + "".join(f"c{i % 7},r{i // 7},{('a > b', 'b = c > a', 'c')[i % 3]}\n" for i in range(14)),
    "counts.csv": "case,count_a,count_b,count_c\n" + "".join(f"c{i},{i % 3},{i % 2},1\n" for i in range(7)),
    "wide.csv": "case,rater 1,rater 2,rater 3\n" + "".join(f"c{i},{i % 2},{i % 3},{'' if i == 4 else 1}\n" for i in range(7)),
    "a.csv": "case,a,b,c\n" + "".join(f"c{i},{0.1 * (i % 5)},{1 - 0.1 * (i % 5)},0\n" for i in range(7)),
    "b.csv": "case,a,b,c\n" + "".join(f"c{i},{i % 3 - 1},{i % 2},{0.5 * i}\n" for i in range(7)),
    "models.csv": "model,case,a,b,c\n" + "".join(f"m{i // 7},c{i % 7},{i % 3},{i % 2},1\n" for i in range(14)),
    "clusters.csv": "case,cluster\n" + "".join(f"c{i},p{i // 2}\n" for i in range(7)),
    "subgroups.csv": "case,site\n" + "".join(f"c{i},{'ns'[i % 2]}\n" for i in range(7)),
    "classes.txt": "a\nb\nc\n",
    "groups.txt": "0\n1\n0\n",
    "plan.json": '{"question": "?", "level": 0.95, "seed": 1}',
    "mapping.json": '{"columns": {"case": "case"}, "missing": ["", "c"]}',
    "evaluation.json": '{"ugt": "1", "schema": 2, "provenance": {}, "metrics": []}',
    "empty.csv": "",
}
PATHS = (*INPUTS, "missing.csv", ".", "", "out", "labels.csv/x", "-", "a=a.csv", "b=b.csv", "=", "out/x.npz", "out/y.csv", "out/z.json")
WORDS = (
    *words("0 1 2 3 5 0.5 0.95 1e-3 1e300 1e-300 -1 -0.5 nan inf -inf 1_0 007 x a b c r1 c1 case label annotator value"),
    *words("9223372036854775807 9223372036854775808 99999999999999999999999 1e400 0x10 ² \ud800 \x00 <script> --json -- -h"),
)
# What usually is right, so that commands get beyond their first complaint. The demonstration takes seconds and no input: left out.
RIGHT = {
    "annotations": ("labels.csv", "rankings.csv", "counts.csv", "wide.csv", "ratings.csv"),
    **dict.fromkeys(("predictions", "calibrate", "apply", "fit"), ("a.csv", "b.csv", "models.csv", "b=b.csv")),
    **dict.fromkeys(("clusters", "subgroups", "plan", "mapping", "evaluation"), ()),
    "classes": ("classes.txt", "3"),
    "groups": ("groups.txt",),
}
NUMBERS = {int: ("1", "2", "3", "10"), float: ("0.5", "0.9", "1", "2", "0.05")}
SMALL = {"--n-boot": "20", "--n-draws": "20", "--n-warmup": "5", "--n-chains": "2", "--m": "5", "--threads": "2"}


@functools.lru_cache(maxsize=1)
def parser():
    return ugt.cli.make_parser()


def arguments(data):
    """A command with options and operands made of bytes; numbers of repetitions stay small."""
    take = Taker(data)
    commands = commands_of(parser())
    called = sorted(commands.keys() - {"demo"})[take.below(len(commands) - 1)]
    words = [called]
    actions = options_of(commands[called])
    flags = [action for action in actions if action.option_strings]
    chosen = [action for action in flags if action.required]
    if flags:
        chosen += [flags[take.below(len(flags))] for _ in range(take.below(7))]
    for action in [a for a in actions if not a.option_strings] + chosen:
        name = action.option_strings[-1] if action.option_strings else None
        words += [name] if name else []
        if action.nargs == 0:
            continue
        for _ in range(1 if action.nargs is None else 1 + take.below(4) // 3 + take.below(4) // 3):
            words.append(operand(take, action, name))
    if take.byte() % 8 == 7:
        words.insert(take.below(len(words) + 1), WORDS[take.below(len(WORDS))])
    for name, few in SMALL.items():  # a run of a million resamples is slow, and no finding
        if called not in ("report", "plan", "completion", "man", "convert") and name in {s for a in actions for s in a.option_strings}:
            words += [name, few]
    return words


def operand(take, action, name):
    how = take.byte() % 8
    if action.choices and how != 7:
        return list(action.choices)[take.below(len(action.choices))]
    if name == "--out" or action.dest == "out":
        return ("out", "out/x.npz", "out/y.csv", "out/z.json", "out/y.csv.gz", "labels.csv", "", "out/r.html")[
            take.below(8) if how > 3 else 0
        ]
    if how < 6 and action.dest in RIGHT:
        known = RIGHT[action.dest] or [path for path in INPUTS if path.startswith(action.dest)]
        return known[take.below(len(known))]
    if how < 5 and action.type in NUMBERS:
        return NUMBERS[action.type][take.below(len(NUMBERS[action.type]))]
    if action.type is not None or how == 6:
        return WORDS[take.below(len(WORDS))]
    return PATHS[take.below(len(PATHS))]


class Taker:
    """Takes small numbers from bytes; 0 once they are all taken."""

    SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 1e-320, float("nan"), float("inf"), float("-inf"), 2.0**53, 1e15, 0.1, 3.0, 7.0)
    LARGE = (2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 2**53, 255, 256)

    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def below(self, n):
        return self.byte() % n

    def signed(self):
        byte = self.byte()
        return self.LARGE[byte % 8] if byte >= 248 else byte % 16 - 2 if byte >= 128 else byte % 4

    def number(self):
        byte = self.byte()
        return self.SPECIAL[byte % 16] if byte >= 224 else byte / 8
