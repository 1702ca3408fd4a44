"""How the house stands, counted from its sources: ``python tests/house.py``, which ``make lint`` runs.

Each line has a count of today and its limit. A count that is not yet within its limit has a ceiling in ``CEILINGS``, which it may not
pass: what it was when the ceiling was last lowered. The script says which ceilings can be lower.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, Union

PACKAGE = Path(__file__).parents[1] / "ugt"
BENEATH_REPORT = {"tables", "_base"}  # what a report shows, and what everything stands on
LEAST_D = 21  # cyclomatic complexity from which radon gives the letters D to F
EDITS = {"replace", "partition", "rpartition", "removeprefix", "removesuffix", "startswith", "format", "translate"}  # of a text
PATTERNS = {"departures.py", "wording.py"}  # of values in plans; of the nouns in words of ours, beside which values are set apart
NOTES = {"notes", "said"}  # names of lists of sentences about an evaluation

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


class Counted(NamedTuple):
    """A count of today, the most that it is to be, and the most that it may be until then."""

    now: int
    limit: int
    ceiling: int


LIMITS = {
    "files of report with numpy": 0,
    "topics that report imports": 3,
    "imports of report in evaluation": 4,
    "texts searched in notes": 0,
    "edits of finished sentences": 0,
    "rendered pages read back": 0,
    "subscripts by texts": 600,
    "parameters that are Any": 1100,
    "functions of complexity D to F": 15,
    "lines of the longest body": 50,
    "members of Statistic": 20,
    "names on top": 60,
}
CEILINGS: dict[str, int] = {}


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def walked(path: Path) -> list[ast.AST]:
    """Return all nodes of a file."""
    return list(ast.walk(tree(path)))


def files(folder: str = ".") -> list[Path]:
    """Return the Python files of a topic, or of the package."""
    return sorted((PACKAGE / folder).rglob("*.py"))


def named_by(path: Path, node: ast.AST) -> list[str]:
    """Return what an import statement names, from the top: ``ugt.annotations.Labels`` for ``from .annotations import Labels``."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    parents = ("ugt", *path.relative_to(PACKAGE).parts[:-1])
    base = [*(parents[: len(parents) - node.level + 1] if node.level else ()), *filter(None, [node.module])]
    return [".".join([*base, alias.name]) for alias in node.names]


def imports(folder: str) -> list[tuple[Path, list[str]]]:
    """Return what the import statements of a topic name; those for type checkers and those within functions count."""
    found = [(path, named_by(path, node)) for path in files(folder) for node in walked(path)]
    return [(path, names) for path, names in found if names]


def topics(names: list[str]) -> set[str]:
    """Return the topics of names from the top."""
    return {name.split(".")[1] for name in names if name.startswith("ugt.")}


def functions(found: list[ast.AST]) -> list[Function]:
    """Return the functions among nodes, also methods and functions within functions."""
    return [node for node in found if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def complexity(function: Function) -> int:
    """Return the cyclomatic complexity by the rule of radon: 1, and 1 for each way on. A function within another counts on its own."""
    left: list[ast.AST] = list(function.body)
    found = 1
    while left:
        one = left.pop()
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        left += ast.iter_child_nodes(one)
        if isinstance(one, (ast.If, ast.IfExp, ast.Assert)):
            found += 1
        elif isinstance(one, (ast.For, ast.AsyncFor, ast.While)):
            found += 1 + bool(one.orelse)
        elif isinstance(one, ast.Try):
            found += len(one.handlers) + bool(one.orelse)
        elif isinstance(one, ast.BoolOp):
            found += len(one.values) - 1
        elif isinstance(one, ast.comprehension):
            found += 1 + len(one.ifs)
    return found


def code_lines(source: str) -> set[int]:
    """Return the numbers of the lines that hold code: no comments, no blank lines."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {n for t in tokens if t.type not in skipped for n in range(t.start[0], t.end[0] + 1)}


def function_sizes(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the name of each function of a file, and the lines of code of its body without the docstring."""
    code = code_lines(path.read_text(encoding="utf-8"))
    for node in functions(walked(path)):
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        lines = {n for part in body for n in range(part.lineno, (part.end_lineno or 0) + 1)}
        yield f"{path.name}:{node.name}", len(lines & code)


def texts_searched(path: Path) -> int:
    """Return how many texts a file looks for in single notes: ``text in note`` and ``note.startswith(texts)``, note by note."""
    known: dict[str, list[ast.AST]] = {}  # what a name was set to, or runs over
    for node in walked(path):
        if isinstance(node, (ast.comprehension, ast.For)):
            targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            for i, target in enumerate(targets):
                known.setdefault(ast.unparse(target), []).append(_each(node.iter, i if len(targets) > 1 else None))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            known.setdefault(ast.unparse(node.targets[0]), []).append(node.value)

    def texts(node: ast.AST, seen: tuple[str, ...] = ()) -> set[str]:
        if isinstance(node, ast.Constant):
            return {node.value} if isinstance(node.value, str) else set()
        if isinstance(node, (ast.Tuple, ast.List)):
            return {text for one in node.elts for text in texts(one, seen)}
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):  # one place of each of the rows of a table
            rows = [row for table in known.get(ast.unparse(node.value), ()) for row in getattr(table, "elts", ())]
            return {text for row in rows if isinstance(row, ast.Tuple) for text in texts(row.elts[node.slice.value], seen)}
        if isinstance(node, ast.Name) and node.id not in seen:
            found = {text for one in known.get(node.id, ()) for text in texts(one, (*seen, node.id))}
            return found or {node.id}  # imported
        return set()

    notes = {name for name, over in known.items() for one in over if isinstance(one, ast.Name) and one.id in NOTES}
    searched: set[str] = set()
    for node in walked(path):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In) and ast.unparse(node.comparators[0]) in notes:
            searched |= texts(node.left)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in notes:
            searched |= texts(node.args[0]) if node.func.attr in ("startswith", "endswith") else set()
    return len(searched)


def _each(table: ast.expr, at: int | None) -> ast.expr:
    """Return what one of the names of a loop runs over."""
    return table if at is None else ast.Subscript(table, ast.Constant(at), ast.Load())


def edits_of_sentences(path: Path) -> int:
    """Return how often a file may edit finished sentences.

    That is each use of a regular expression in the command, whatever it reads, and each text method of the message of an error.
    """
    nodes = walked(path)
    of_command = path.is_relative_to(PACKAGE / "cli")
    expressions = [one for one in nodes if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "re"] if of_command else []
    imported = [one for one in nodes if isinstance(one, ast.ImportFrom) and one.module == "re"] if of_command else []
    caught = {one.name for one in nodes if isinstance(one, ast.ExceptHandler)} - {None}
    messages = {f"str({name})" for name in caught}
    messages |= {ast.unparse(one.targets[0]) for one in nodes if isinstance(one, ast.Assign) and ast.unparse(one.value) in messages}
    edits = [one for one in nodes if isinstance(one, ast.Attribute) and one.attr in EDITS and ast.unparse(one.value) in messages]
    return len(expressions) + len(imported) + len(edits)


def reads_back(path: Path) -> int:
    """Return how often a file may turn a rendered page into text again: by regular expressions, a parser, or unescaped entities."""
    names = [name for node in walked(path) for name in named_by(path, node)]
    return sum(f"{name}.".startswith(("re.", "html.unescape.", "html.parser.", "xml.")) or name == "html" for name in names)


def members_of(name: str, every: list[ast.AST]) -> int:
    """Return the number of methods, properties and attributes that a class has, private ones too."""
    (found,) = (node for node in every if isinstance(node, ast.ClassDef) and node.name == name)
    own = {one.name for one in found.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    own |= {one.target.id for one in found.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
    return len(
        own | {target.id for one in found.body if isinstance(one, ast.Assign) for target in one.targets if isinstance(target, ast.Name)}
    )


def names_on_top() -> int:
    """Return the number of public names and namespaces of ``ugt``, as they stand in its two tables."""
    body = tree(PACKAGE / "__init__.py").body
    tables = {ast.unparse(one.targets[0]): one.value for one in body if isinstance(one, ast.Assign)}
    names, spaces = (ast.literal_eval(tables[one]) for one in ("_TOP", "_NAMESPACES"))
    return sum(len(one.split()) for one in names.values()) + len(spaces)


def parameters(function: Function) -> list[ast.arg]:
    """Return the parameters of a function but ``*args`` and ``**more``."""
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def is_any(parameter: ast.arg) -> bool:
    """Return whether a parameter may be anything."""
    return parameter.annotation is not None and ast.unparse(parameter.annotation) == "Any"


def is_by_text(node: ast.AST) -> bool:
    """Return whether a node is a subscript such as ``row["value"]``."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)


def counts() -> dict[str, Counted]:
    """Return all counts, in the order of ``LIMITS``."""
    every = [node for path in files() for node in walked(path)]
    of_report, of_evaluation = imports("report"), imports("evaluation")
    now = (
        len({path for path, names in of_report if any(name.split(".")[0] == "numpy" for name in names)}),
        len({topic for _, names in of_report for topic in topics(names)} - {"report", *BENEATH_REPORT}),
        sum("report" in topics(names) for _, names in of_evaluation),
        sum(map(texts_searched, files())),
        sum(map(edits_of_sentences, files())),
        sum(reads_back(path) for path in files("report") if path.name not in PATTERNS),
        sum(map(is_by_text, every)),
        sum(is_any(one) for function in functions(every) for one in parameters(function)),
        sum(complexity(one) >= LEAST_D for one in functions(every)),
        max(n for path in files() for _, n in function_sizes(path)),
        members_of("Statistic", every),
        names_on_top(),
    )
    return {name: Counted(n, limit, CEILINGS.get(name, limit)) for (name, limit), n in zip(LIMITS.items(), now)}


def above(found: dict[str, Counted]) -> list[str]:
    """Return a line for each count above what it may be."""
    return [f"{name}: {one.now:,}, at most {one.ceiling:,}" for name, one in found.items() if one.now > one.ceiling]


def remark(one: Counted) -> str:
    """Return what is to be said of a count that is not within its limit, or whose ceiling can be lower."""
    least = max(one.now, one.limit)
    return f"  (lower the ceiling to {least:,})" if least < one.ceiling else "  (may only fall)" if one.now > one.limit else ""


def main() -> int:
    """Print the counts; return 1 if one is above what it may be."""
    found = counts()
    print(f"{'counted from the sources of ugt':<36}{'now':>7}{'limit':>7}")
    for name, one in found.items():
        print(f"{name:<36}{one.now:>7,}{one.limit:>7,}{remark(one)}")
    wrong = above(found)
    print("".join(f"{line}\n" for line in wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
