"""No array with numpy's default integer, which has 32 bits on Windows before numpy 2, is passed where 64 bits are wanted."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

UGT = Path(__file__).parents[2] / "ugt"
WANTED = re.compile(r"\b_?Int64\b|NDArray\[np\.int64\]")
# Functions of numpy, and methods of arrays, whose type is that of their first argument.
FOLLOWING = ("repeat", "tile", "sort", "roll", "append", "concatenate", "diff", "atleast_1d", "array", "asarray", "ascontiguousarray")
METHODS = ("reshape", "copy", "ravel", "take")


def parameters(tree):
    """(name of a function, the places and names of its parameters that are annotated as 64 bits), for each function and method."""
    for scope in ast.walk(tree):
        for function in scope.body if isinstance(scope, (ast.Module, ast.ClassDef)) else ():
            if isinstance(function, ast.FunctionDef):
                given = [*function.args.posonlyargs, *function.args.args]
                static = any(getattr(one, "id", "") == "staticmethod" for one in function.decorator_list)
                own = given if isinstance(scope, ast.Module) or static else given[1:]
                wanted = [
                    one.arg for one in (*own, *function.args.kwonlyargs) if one.annotation and WANTED.search(ast.unparse(one.annotation))
                ]
                name = scope.name if isinstance(scope, ast.ClassDef) and function.name == "__init__" else function.name
                yield name, {i for i, one in enumerate(own) if one.arg in wanted}, set(wanted)


class Function:
    """One function, with those of its variables that always hold the default integer."""

    def __init__(self, node):
        self.node, self.default = node, {}
        for one in ast.walk(node):
            for target in one.targets if isinstance(one, ast.Assign) else ():
                pairs = zip(target.elts, one.value.elts) if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple) else ()
                for variable, value in [*pairs, (target, one.value)]:
                    if isinstance(variable, ast.Name):
                        self.default[variable.id] = self.is_default(value) and self.default.get(variable.id, True)

    def is_default(self, value):
        """Whether numpy chooses the type of an array and takes its default integer."""
        if isinstance(value, ast.Name):
            return self.default.get(value.id, False)
        if isinstance(value, ast.Subscript):
            return self.is_default(value.value)
        if isinstance(value, ast.BinOp):
            return self.is_default(value.left) and (self.is_default(value.right) or isinstance(value.right, ast.Constant))
        if (
            not isinstance(value, ast.Call)
            or not isinstance(value.func, ast.Attribute)
            or any(one.arg == "dtype" for one in value.keywords)
        ):
            return False
        name, arguments = value.func.attr, value.args
        if getattr(value.func.value, "id", "") != "np":
            return name in METHODS and self.is_default(value.func.value)
        if name == "arange":
            return not any(isinstance(getattr(one, "value", None), float) for one in arguments)
        if name == "full" and len(arguments) == 2:
            return bool(re.fullmatch(r"-?\d+", ast.unparse(arguments[1])))
        if name in ("array", "asarray", "ascontiguousarray") and len(arguments) > 1:
            return False
        if name not in FOLLOWING or not arguments:
            return False
        if isinstance(arguments[0], (ast.List, ast.ListComp, ast.Tuple)) and name in ("array", "asarray"):
            return True  # of Python's numbers, as far as can be seen
        parts = arguments[0].elts if isinstance(arguments[0], (ast.List, ast.Tuple)) else arguments[:1]
        return bool(parts) and all(self.is_default(one) for one in parts)

    def passed(self, wanted):
        """The calls that pass such an array where 64 bits are wanted."""
        for call in ast.walk(self.node):
            name = getattr(call.func, "attr", getattr(call.func, "id", "")) if isinstance(call, ast.Call) else ""
            for places, names in wanted.get(name, ()):
                given = [call.args[i] for i in places if i < len(call.args)] + [one.value for one in call.keywords if one.arg in names]
                if any(map(self.is_default, given)):
                    yield call.lineno, name


def passed(text, wanted):
    functions = (Function(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return sorted({found for function in functions for found in function.passed(wanted)})


@pytest.fixture(scope="module")
def wanted():
    found = defaultdict(list)
    for path in [*UGT.rglob("*.py"), *UGT.glob("_core/*.pyi")]:
        for name, places, names in parameters(ast.parse(path.read_text(encoding="utf-8"))):
            if names:
                found[name].append((places, names))
    assert len(found) > 100
    return found


def test_no_default_integer_is_passed_where_64_bits_are_wanted(wanted):
    found = {str(path): calls for path in sorted(UGT.rglob("*.py")) if (calls := passed(path.read_text(encoding="utf-8"), wanted))}
    assert found == {}


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("take(np.arange(n))", True),
        ("x.take(rows=np.arange(n)[half])", True),
        ("take(np.tile(np.arange(n) + 1, 2))", True),
        ("a, rows = 1, np.full(n, -1); take(rows)", True),
        ("take(np.array([at]))", True),
        ("take(np.concatenate([np.arange(3), np.arange(n)]))", True),
        ("take(np.arange(n, dtype=np.int64))", False),
        ("take(np.full(n, -1, np.int64))", False),
        ("take(np.array([at], np.int64))", False),
        ("take(np.flatnonzero(mask))", False),
        ("other(np.arange(n))", False),
    ],
)
def test_default_integers_are_seen(line, seen):
    assert bool(passed(f"def f():\n    {line}\n", {"take": [({0}, {"rows"})]})) is seen
