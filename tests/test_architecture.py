"""The design as tests: who may import whom, how large things may be, what a public name comes with."""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import os
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

import ugt
import ugt.io
import ugt.plots
import ugt.synthetic

PACKAGE = Path(__file__).parents[1] / "ugt"
CORE = PACKAGE / "_core"
MODULES = sorted(PACKAGE.rglob("*.py"))
OPTIONAL = {"dask", "joblib", "matplotlib", "pandas", "polars", "pyarrow", "tqdm", "yaml"}

# From the bottom up: a module imports its own layer or a lower one. Names that are not here are metric modules, private ones at the bottom.
METRICS = 2
LAYERS = {
    "_core": 0,
    **dict.fromkeys(["annotations", "predictions", "plausibilities", "resampling", "results"], 1),
    **dict.fromkeys(["_plausibilities", "_resampling", "_annotators", "_calibrators", "_coefficients", "_discrepancy", "_substitution"], 1),
    **dict.fromkeys(["_soft", "_histogram", "_disagreement", "_io.predictions"], 1),
    **dict.fromkeys(["_io.csv_table", "_io.formulas", "_io.frames", "_io.roles", "_io.source", "_io.whole_file"], 0),
    **dict.fromkeys(["dask", "_dask", "states", "_states"], 3),
    **dict.fromkeys(["conformal", "_conformal", "evaluation", "_evaluation", "io", "_io", "plots", "report", "synthetic"], 3),
    **dict.fromkeys(["states", "_states", "dask", "_dask"], 3),
    **dict.fromkeys(["cli", "_cli", "__main__"], 4),
}


def layer(name):
    """Of `_io.roles`: its own, else that of `_io`."""
    top = name.split(".")[0]
    return LAYERS.get(name, LAYERS.get(top, 0 if top.startswith("_") else METRICS))


def module(path):
    """`annotations` for ugt/annotations.py, `report.page` for ugt/report/page.py, `report` for ugt/report/__init__.py."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).replace(".__init__", "")


def is_type_checking(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports(node, inside_functions=True):
    """Import statements that run: all but those for type checkers, and on request only those of the module level."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        elif is_type_checking(child):
            for other in child.orelse:
                yield from imports(other, inside_functions)
        elif inside_functions or not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from imports(child, inside_functions)


def absolute_names(path, statement):
    """What an import statement names, from the top: `ugt.annotations` for `from .annotations import Labels`."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    base = statement.module or ""
    if statement.level:
        parents = ("ugt", *path.relative_to(PACKAGE).parts[:-1])
        base = ".".join([*parents[: len(parents) - statement.level + 1], *filter(None, [base])])
    is_folder = PACKAGE.parent.joinpath(*base.split(".")).is_dir()
    return [f"{base}.{alias.name}" for alias in statement.names] if is_folder else [base]


def modules_imported(path):
    names = [name for node in imports(ast.parse(path.read_text(encoding="utf-8"))) for name in absolute_names(path, node)]
    return {name[len("ugt.") :] for name in names if name.startswith("ugt.")}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_downwards(path):
    own = module(path)
    if own == "__init__":
        return
    for other in modules_imported(path):
        assert layer(other) <= layer(own), f"{own} imports {other}, which is above it"
        assert layer(own) != METRICS or layer(other) != METRICS, f"{own} and {other} are metric modules"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_optional_packages_are_imported_where_they_are_needed(path):
    statements = imports(ast.parse(path.read_text(encoding="utf-8")), inside_functions=False)
    names = {name.split(".")[0] for node in statements for name in absolute_names(path, node)}
    assert not names & OPTIONAL


def test_core_knows_nothing_of_the_rest():
    for path in [p for p in CORE.iterdir() if p.suffix in (".py", ".pyi", ".pyx", ".pxd")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import|cimport)\s+(ugt(?!\._core)|\.\.)", text, re.MULTILINE), path.name


def test_package_init_only_collects_names():
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    assert {type(node) for node in tree.body} <= {ast.Expr, ast.ImportFrom, ast.Assign, ast.FunctionDef}
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] == ["__getattr__", "__dir__"]
    assert len(ugt.__all__) == len(set(ugt.__all__)) and set(ugt.__all__) <= set(dir(ugt))
    with pytest.raises(AttributeError, match="module 'ugt' has no attribute 'no_such_name'"):
        _ = ugt.no_such_name


def test_type_checkers_see_the_names_that_there_are():
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    seen = {alias.name: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == {**ugt._HOME_OF, "__version__": "_version"}
    (listed,) = (node.value for node in tree.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(listed) == ugt.__all__


def test_import_of_the_package_imports_nothing_yet(tmp_path):
    code = "import sys, ugt; print('numpy' in sys.modules, ugt.soft_auroc.__module__, ugt.histogram.__name__, 'ugt.io' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)  # what is installed
    assert found.stdout.split() == ["False", "ugt.soft", "ugt.histogram", "False"]


def test_files_are_small():
    handwritten = [p for p in CORE.iterdir() if not (p.suffix == ".c" and p.name.startswith("_"))]
    limits = {".py": 400, ".pyx": 300, ".c": 600, ".h": 600}
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in {*MODULES, *handwritten} if p.suffix in limits}
    assert {p.name: n for p, n in lengths.items() if n > limits[p.suffix]} == {}


def code_lines(source):
    """Numbers of the lines that hold code: no comments, no blank lines."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {n for t in tokens if t.type not in skipped for n in range(t.start[0], t.end[0] + 1)}


def function_sizes(path):
    """Lines of code of every function's body, docstring left out."""
    source = path.read_text(encoding="utf-8")
    code = code_lines(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            lines = {n for part in body for n in range(part.lineno, part.end_lineno + 1)}
            yield f"{path.name}:{node.name}", len(lines & code)


def public_names(module):
    own = getattr(module, "__all__", None) or [
        n for n, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__
    ]
    return [name for name in own if callable(getattr(module, name)) and not name.startswith("_")]


@pytest.mark.slow
def test_nine_functions_in_ten_are_short():
    sizes = [item for path in MODULES for item in function_sizes(path)]
    long = [(name, n) for name, n in sizes if n > 25]
    assert len(long) <= len(sizes) / 10, long


PUBLIC = [(module, name) for module in (ugt, ugt.io, ugt.plots, ugt.synthetic) for name in public_names(module)]


@pytest.mark.parametrize(("module", "name"), PUBLIC, ids=lambda value: getattr(value, "__name__", value))
def test_public_names_are_documented_with_an_example(module, name):
    public = getattr(module, name)
    assert inspect.getdoc(public)
    # A class may give its examples with its constructors.
    described = [public, *(getattr(public, own) for own in vars(public))] if isinstance(public, type) else [public]
    assert any(re.search(r"^Examples\n-{8}$", inspect.getdoc(each) or "", re.MULTILINE) for each in described)


def test_import_is_light(tmp_path):
    code = "import sys, ugt; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    environment = {**os.environ, "PYTHONPATH": str(Path(ugt.__file__).parents[1])}  # the package under test, installed or not
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & OPTIONAL


def left_open(method):
    """Whether a method does nothing but raise NotImplementedError."""
    return inspect.isfunction(method) and method.__code__.co_names == ("NotImplementedError",)


def test_no_class_lacks_what_its_base_leaves_to_it():
    """Some bases do not use abc, whose checks of types cost small calls time."""
    classes = set()
    for path in MODULES:
        if "dask" not in str(path.relative_to(PACKAGE)) and path.name != "__main__.py":
            module = importlib.import_module(".".join(("ugt", *path.relative_to(PACKAGE).with_suffix("").parts)).replace(".__init__", ""))
            classes |= {one for _, one in inspect.getmembers(module, inspect.isclass) if one.__module__.startswith("ugt.")}
    bases = {base: [name for name, one in vars(base).items() if left_open(getattr(one, "fget", one))] for base in classes}
    open_ones = [(base, name) for base, names in bases.items() for name in names]
    assert len(open_ones) > 5  # they are seen at all
    last = [one for one in classes if not one.__subclasses__()]
    lacking = [(cls, name) for base, name in open_ones for cls in last if issubclass(cls, base) and getattr(cls, name) is vars(base)[name]]
    assert [(cls.__name__, name) for cls, name in lacking] == [("MentionedDraws", "_mass_of_draw")]  # which has a mass() of its own
