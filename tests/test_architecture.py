"""The design as tests: who may import whom, how large things may be, what a public name comes with."""

import ast
import importlib
import inspect
import operator
import os
import re
import subprocess
import sys
import textwrap
from collections import defaultdict
from functools import cache
from pathlib import Path

import house
import pytest
import stubs
from house import above, complexity, counts, function_sizes, functions, texts_searched

import ugt
from ugt._base import wrong_names

PACKAGE = Path(__file__).parents[1] / "ugt"
CORE = PACKAGE / "_core"
MODULES = sorted(PACKAGE.rglob("*.py"))
FILES = {f"ugt.{path.name}" for path in PACKAGE.glob("*.py")}
OPTIONAL = {"dask", "joblib", "matplotlib", "pandas", "polars", "pyarrow", "tqdm", "yaml"}


# The files with a bootstrap loop or a reader of groups beside the one of all; nothing comes in.
LOOPS = {"resampling/__init__.py"}  # annotations drawn anew within resampled cases have no sums
READERS = {"humans/groups.py", "plausibilities/sets.py"}  # groups of annotators and of classes


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def dotted(path):
    return ".".join(("ugt", *path.relative_to(PACKAGE).with_suffix("").parts)).replace(".__init__", "")


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


def topic(name):
    """`soft` of `ugt.soft.columns`."""
    return name.split(".")[1]


def topics_imported(path):
    """By any import statement, also those inside of functions and those for type checkers only."""
    statements = [node for node in ast.walk(tree(path)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {name for node in statements for name in absolute_names(path, node)}
    return {topic(name) for name in names if (name.startswith("ugt.") and (PACKAGE / topic(name)).exists()) or f"{name}.py" in FILES}


@cache
def graph():
    """Topic -> topics that it imports; the package itself and `__main__` are on top of all."""
    found = {}
    for path in MODULES:
        own = module(path).split(".")[0]
        if own not in ("__init__", "__main__"):
            found.setdefault(own, set()).update(topics_imported(path) - {own})
    return found


def circle(edges):
    """Topics that import each other in a circle, or none."""
    left = {name: set(others) for name, others in edges.items()}
    while left:
        free = [name for name, others in left.items() if not others & left.keys()]
        if not free:
            return sorted(left)
        for name in free:
            del left[name]
    return []


def test_topics_make_no_circle():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["a", "b", "c"]
    assert circle(graph()) == []


def test_topics_import_from_rows_below_their_own():
    """In the picture of docs/development.md, which has all of them."""
    text = (PACKAGE.parent / "docs" / "development.md").read_text(encoding="utf-8")
    rows = [line.split(" · ") for line in re.findall(r"^    (\w.*)$", text.split("## One idea")[0], re.MULTILINE)]
    place = {name: i for i, row in enumerate(rows) for name in row}
    edges = graph()
    assert edges.keys() <= place.keys() and "_core" in place
    assert [(name, other) for name, others in edges.items() for other in others if place[name] >= place[other]] == []


def test_optional_packages_are_imported_where_they_are_needed():
    named = [(path, name) for path in MODULES for node in imports(tree(path), False) for name in absolute_names(path, node)]
    assert [(str(path), name) for path, name in named if name.split(".")[0] in OPTIONAL] == []


def test_core_knows_nothing_of_the_rest():
    for path in [p for p in CORE.iterdir() if p.suffix in (".py", ".pyi", ".pyx", ".pxd")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import|cimport)\s+(ugt(?!\._core)|\.\.)", text, re.MULTILINE), path.name


def test_the_package_fits_half_a_screen():
    assert len([path for path in PACKAGE.iterdir() if path.name != "__pycache__"]) <= 31


def test_package_init_only_collects_names():
    body = tree(PACKAGE / "__init__.py").body
    assert {type(node) for node in body} <= {ast.Expr, ast.ImportFrom, ast.Assign, ast.FunctionDef}
    assert [node.name for node in body if isinstance(node, ast.FunctionDef)] == ["__getattr__", "__dir__"]
    assert len(ugt.__all__) == len(set(ugt.__all__)) and set(ugt.__all__) <= set(dir(ugt))
    assert dir(ugt) == sorted([*ugt.__all__, *ugt._NAMESPACES])  # what a key for completion shows


def test_stubs_are_made_from_the_sources():
    """By ``python tests/stubs.py``."""
    assert [str(path) for path, text in stubs.made().items() if path.read_text(encoding="utf-8") != text] == []


def test_namespaces_have_all_public_names():
    every = {space: importlib.import_module(f"ugt.{space}") for space in ugt._NAMESPACES if space not in OPTIONAL}
    homes = defaultdict(list)
    for found in every.values():
        for name in found.__all__:
            homes[name].append(getattr(found, name))
    assert [name for name in ugt.__all__ if name[0] != "_" and not any(one is getattr(ugt, name) for one in homes[name])] == []


def test_a_wrong_name_is_answered_with_the_right_one():
    for name, answers in wrong_names.FOREIGN.items():
        assert name not in dir(ugt)
        for answer in answers.split(", "):  # such as "votes (kind='mean')", "a, ugt.b.c"
            assert operator.attrgetter(answer.removeprefix("ugt.").split(" ")[0])(ugt) is not None
        with pytest.raises(AttributeError, match=re.escape(f"module 'ugt' has no attribute {name!r}: see ugt.{answers}")):
            getattr(ugt, name)
    for name, right in {
        "two_way": "resampling.two_way",
        "kripendorff_alpha": "krippendorff_alpha",
        "Agreement": "agreement.Agreement",
    }.items():
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}': see ugt.{right}$"):
            getattr(ugt, name)
    with pytest.raises(AttributeError, match=r"module 'ugt' has no attribute 'xyz'$"):
        _ = ugt.xyz


OPEN = [dotted(path) for path in MODULES if not re.search(r"/_(?!_init__)|dask", str(path.relative_to(PACKAGE.parent)))]


def test_everything_can_be_imported_from_a_module():
    """A topic says what it gives, once; ``import *`` gives exactly this."""
    wrong = []
    for name in OPEN:
        found = {}
        exec(f"from {name} import *", found)
        public = getattr(importlib.import_module(name), "__all__", None)
        if public is None:
            wrong += [name] if name.count(".") < 2 and name != "ugt.cli" else []
        elif sorted(public) != sorted(found.keys() - {"__builtins__"}):
            wrong.append(name)
    assert wrong == []


def named_alike(paths):
    """Names that several classes have."""
    homes = defaultdict(list)
    for path in paths:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path)
    return {name for name, files in homes.items() if len(files) > 1}


def test_a_class_has_its_name_alone():
    assert named_alike(MODULES) == set()


def test_modules_in_which_faults_are_planted_exist():
    lines = (Path(__file__).parent / "mutation" / "modules.txt").read_text(encoding="utf-8").splitlines()
    listed = {name: tests.split() for name, _, tests in (line.partition(":") for line in lines if line and line[0] != "#")}
    assert [name for name in listed if name != "*" and PACKAGE / f"{name}.py" not in MODULES] == []
    assert {test for tests in listed.values() for test in tests} <= {path.stem[5:] for path in Path(__file__).parent.glob("unit/test_*.py")}


def holding(pattern):
    return {path.relative_to(PACKAGE).as_posix() for path in MODULES if re.search(pattern, path.read_text(encoding="utf-8"))}


def test_there_is_one_loop_of_resamples():
    """Over cases: what has sums is resampled by ``resample()``."""
    assert "resampling/loop.py" in holding(r'parallel\.run\(.*"bootstrap"\)')
    assert holding(r'parallel\.run\(.*"bootstrap"\)') - {"resampling/loop.py"} <= LOOPS


def test_there_is_one_reader_of_clusters():
    """By id or in the order of cases: ``ids_of_cases()``."""
    assert holding(r"isinstance\((clusters|strata|ids|groups|values)\w*, Mapping\)") <= READERS


def test_import_of_the_package_imports_nothing_yet(tmp_path):
    code = "import sys, ugt; print('numpy' in sys.modules, ugt.soft_auroc.__module__, ugt.calibration.__name__, 'ugt.io' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)  # what is installed
    assert found.stdout.split() == ["False", "ugt.soft", "ugt.calibration", "False"]


def test_files_are_small():
    handwritten = [p for p in CORE.iterdir() if not (p.suffix == ".c" and p.name.startswith("_"))]
    limits = {".py": 400, ".pyx": 300, ".c": 600, ".h": 600}
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in {*MODULES, *handwritten} if p.suffix in limits}
    assert {p.name: n for p, n in lengths.items() if n > limits[p.suffix]} == {}


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


SPACES = [importlib.import_module(f"ugt.{space}") for space in ugt._NAMESPACES if space not in OPTIONAL]


def has_example(public):
    """A class may give its examples with its constructors, a base with a class that derives from it."""
    described = (
        [public, *(getattr(public, own) for own in vars(public)), *public.__subclasses__()] if isinstance(public, type) else [public]
    )
    return any(re.search(r"^Examples\n-{8}$", inspect.getdoc(each) or "", re.MULTILINE) for each in described)


def test_public_names_are_documented_with_an_example():
    named = [(f"{space.__name__}.{name}", getattr(space, name)) for space in SPACES for name in public_names(space)]
    assert [name for name, public in named if not inspect.getdoc(public) or not has_example(public)] == []


def test_import_is_light(tmp_path):
    code = "import sys, ugt; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    environment = {**os.environ, "PYTHONPATH": str(Path(ugt.__file__).parents[1])}  # the package under test, installed or not
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & OPTIONAL


def test_the_counts_of_the_house_do_not_rise():
    assert above(counts()) == []


def test_the_house_is_counted(tmp_path):
    source = """\
        FOUND = (("a claim", ("one text", "two texts")), ("another", ("three",)))
        LIKE = "four"
        def f(notes, x):
            for _, texts in FOUND:
                if any(text in note for text in texts for note in notes):
                    return 1
            other = [one for one in notes if one.startswith((LIKE, "five"))]
            assert x or (LIKE in x and other)
            return g if x else lambda: 0
        """
    path = tmp_path / "one.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    (function,) = functions(list(ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    assert texts_searched(path) == 5  # "four" in x is no search in a note
    assert complexity(function) == 1 + 1 + 1 + 2 + 2 + 1 + 2 + 1  # 1, for, if, loops within, a loop with if, assert, or with and, if
    assert list(function_sizes(path)) == [("one.py:f", 6)]


def test_pages_that_are_read_back_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(house, "PACKAGE", tmp_path)
    path = tmp_path / "page.py"
    path.write_text(
        "import re\nfrom html import escape, unescape\nfrom html.parser import HTMLParser\nimport html\nfrom .markup import html\n",
        encoding="utf-8",
    )
    assert house.reads_back(path) == 4  # escaping is no reading, nor is a function of ours


def left_open(method):
    """Whether a method does nothing but raise NotImplementedError."""
    return inspect.isfunction(method) and method.__code__.co_names == ("NotImplementedError",)


def test_no_class_lacks_what_its_base_leaves_to_it():
    """Some bases do not use abc, whose checks of types cost small calls time."""
    classes = set()
    for path in MODULES:
        if "dask" not in str(path.relative_to(PACKAGE)) and path.name != "__main__.py":
            found = inspect.getmembers(importlib.import_module(dotted(path)), inspect.isclass)
            classes |= {one for _, one in found if one.__module__.startswith("ugt.")}
    bases = {base: [name for name, one in vars(base).items() if left_open(getattr(one, "fget", one))] for base in classes}
    open_ones = [(base, name) for base, names in bases.items() for name in names]
    assert len(open_ones) > 5  # they are seen at all
    last = [one for one in classes if not one.__subclasses__()]
    lacking = [(cls, name) for base, name in open_ones for cls in last if issubclass(cls, base) and getattr(cls, name) is vars(base)[name]]
    assert [(cls.__name__, name) for cls, name in lacking] == [("MentionedDraws", "_mass_of_draw")]  # which has a mass() of its own


def called(node):
    """The name of the function that a node calls, if it has one."""
    return getattr(node.func, "id", None) if isinstance(node, ast.Call) else None


def kinds_asked_for(tree):
    """Kinds of truth in the second argument of isinstance, or beside type()."""
    nodes = list(ast.walk(tree))
    asked = [node for node in nodes if called(node) in ("isinstance", "issubclass")]
    names = {one.id for node in asked for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
    compared = [node for node in nodes if isinstance(node, ast.Compare) and any(called(one) == "type" for one in ast.walk(node))]
    return (names | {one.id for node in compared for one in ast.walk(node) if isinstance(one, ast.Name)}) & KINDS_OF_TRUTH


KINDS_OF_TRUTH = {"Point", "Dirichlet", "Draws", "DenseDraws", "MentionedDraws", "Vectors"}


def test_nobody_asks_what_kind_a_truth_is():
    """But its own package: others ask what the protocol, Plausibilities, offers."""
    assert kinds_asked_for(ast.parse("isinstance(x, (int, Point)) or type(y) is Draws")) == {"Point", "Draws"}
    assert [str(path) for path in MODULES if path.parent.name != "plausibilities" and kinds_asked_for(tree(path))] == []


def test_the_command_starts_without_scipy(tmp_path):
    """Importing parts of scipy takes longer than everything else."""
    said = "import sys, ugt.cli; print(*sorted(one for one in sys.modules if one.split('.')[0] == 'scipy'))"
    assert subprocess.run([sys.executable, "-c", said], check=True, capture_output=True, text=True, cwd=tmp_path).stdout.split() == []
