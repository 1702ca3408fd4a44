"""The core compiles with MSVC too, and nothing depends on what only some C libraries, encodings or default integers do."""

import ast
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from public_functions import FUNCTIONS, make_world, numbers
from same_numbers import EXACT, WORLDS, compare, compare_reports, rows, stored, streams, text_difference, tolerance

ROOT = Path(__file__).parents[2]
CORE = ROOT / "ugt" / "_core"
FILES = sorted(path for path in CORE.glob("*.[ch]") if not path.name.startswith("_"))
CLASSIFY = r"(?:isnan|isinf|isfinite|isnormal|signbit|isunordered)"
VALUE = rf"(?:[-+*/&|^]=?|<<|[^=!<>]=)\s*{CLASSIFY}\([^;&|?]*\)(?!\s*[!=]=)\s*;"
LOCAL = r"\b(?:strto[dflu]\w*|ato[fil]|\w*printf|\w*scanf|setlocale|tolower|toupper|is(?:alpha|digit|space))\s*\("
PARAMETER = r"\b(?:double|float|u?int\w*_t|int|size_t)\s+\w*\[(?:static\b|restrict\b|[a-z_]\w*\])[^;=]*[,)]"
# MSVC has C11 without the optional parts, and neither POSIX nor the extensions of GNU.
LACKING = {
    "an attribute or builtin of GNU": r"__attribute__|__builtin_|__extension__|\btypeof\b|__int128|\basm\b",
    "a statement as an expression": r"\(\{",
    "a header of POSIX, or an optional one": r"#\s*include\s*<(?:unistd|pthread|strings|sys/\w+|complex|threads|stdatomic|tgmath)\.h>",
    "_Generic, _Complex or an atomic type": r"\b_(?:Generic|Complex|Atomic|Thread_local|Alignas)\b",
    "a constant of POSIX": r"\bM_(?:PI|E|LN2|SQRT2)\b",
    "an integer whose size differs": r"\b(?:ssize_t|long)\b(?! double)",
    "an array of variable length": r"^\s+(?:const )?(?:double|float|u?int\w*_t|int|size_t)\s+\w+\[[^\]]*\b[a-z]\w*\b[^\]]*\]\s*(?:;|=)",
    "a parameter with an array of variable or of least length": PARAMETER,
    "empty braces, a range of cases, or ?: without its middle": r"=\s*\{\s*\}|\bcase\b[^:\n]*\.\.\.|\?\s*:",
    "a function that depends on the locale": LOCAL,
    "a function of POSIX": r"\b(?:lgamma_r|drand48|random|strdup|strtok_r|rand_r|posix_memalign|clock_gettime)\s*\(",
    "the value of a classification, which is not 1 everywhere": VALUE,
}


# The branch of a condition that other compilers take; what is behind #else or #elif is for MSVC.
FOR_OTHERS = re.compile(r"^#if[^\n]*(?:__GNUC__|__SIZEOF_INT128__)(?:\\\n|.)*\n(?:.*\n)*?(?=#(?:else|elif|endif))", re.MULTILINE)
FOR_WINDOWS = re.compile(r"^#ifdef _WIN32\n((?:(?!#).*\n)*)#else\n(?:(?!#).*\n)*#endif", re.MULTILINE)


def code(path):
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = FOR_WINDOWS.sub(r"\1", FOR_OTHERS.sub("#if 0\n", text))
    return re.sub(r'"(?:\\.|[^"\\])*"|//.*', '""', text)


@pytest.mark.parametrize("what", LACKING)
def test_nothing_is_used_that_msvc_lacks(what):
    assert len(FILES) > 40
    assert [path.name for path in FILES if re.search(LACKING[what], code(path), re.MULTILINE)] == []


@pytest.mark.parametrize(
    "line",
    [
        "missing += isnan(p[k]);",
        "n = n + signbit(x);",
        "    double room[n];",
        "x = ({ 1; });",
        "long n;",
        "int n __attribute__((unused));",
        "void f(int n, double x[n]);",
        "void f(double x[static 3]);",
        "double x[3] = {};",
        "case 1 ... 5:",
        "y = x ?: 1;",
        "y = lgamma_r(x, &sign);",
        "x = strtod(text, &end);",
    ],
)
def test_what_is_lacking_is_seen(line):
    assert any(re.search(pattern, line, re.MULTILINE) for pattern in LACKING.values())


@pytest.mark.parametrize(
    "line",
    [
        "missing += isnan(p[k]) != 0;",
        "if (isnan(x) || y)",
        "out = isnan(x) ? 0 : 1;",
        "    double room[MOST];",
        "void f(double x[3]);",
        "x[i] = f(y[j], 1);",
        "double x[3] = {0};",
    ],
)
def test_what_is_portable_is_let_through(line):
    assert not any(re.search(pattern, line, re.MULTILINE) for pattern in LACKING.values())


# The C library of Microsoft, as far as the core uses it: standard functions without those of GNU and POSIX.
OF_C = {
    "stdlib.h": """
        typedef unsigned long long size_t;
        void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t), free(void *);
        int abs(int);
        void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
        #define NULL ((void *)0)
    """,
    "string.h": """
        #include <stdlib.h>
        void *memchr(const void *, int, size_t), *memcpy(void *, const void *, size_t), *memset(void *, int, size_t);
        void *memmove(void *, const void *, size_t);
        int memcmp(const void *, const void *, size_t);
    """,
    "math.h": """
        double exp(double), expm1(double), log(double), log1p(double), log2(double), log10(double), sqrt(double), pow(double, double);
        double fabs(double), floor(double), ceil(double), fmax(double, double), fmin(double, double), fma(double, double, double);
        double cos(double), sin(double), erfc(double), lgamma(double), ldexp(double, int), frexp(double, int *);
        double copysign(double, double), hypot(double, double), tgamma(double), atan2(double, double);
        int ugt_class(double);
        #define isnan(x) ugt_class(x)
        #define isfinite(x) ugt_class(x)
        #define isinf(x) ugt_class(x)
        #define INFINITY ((float)(1e300 * 1e300))
        #define NAN (INFINITY * 0.0f)
    """,
}
DIALECT = [
    *("-fms-compatibility", "-fms-extensions", "-std=c11", "-U__GNUC__", "-U__SIZEOF_INT128__", "-fsyntax-only", "-nostdlibinc"),
    *("-D__MM_MALLOC_H", "-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wvla", "-Wno-unused-parameter"),
    "-Wno-language-extension-token",  # __forceinline
]


def compiled_as_msvc_would(folder, machine, sources):
    """What clang says of C files in the dialect of MSVC, which takes the branches that no other compiler takes."""
    clang = shutil.which("clang")
    if clang is None:
        pytest.skip("no clang here")
    for name, text in OF_C.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [clang, "-target", f"{machine}-pc-windows-msvc19.29.0", *DIALECT, "-isystem", str(folder), f"-I{CORE}", *map(str, sources)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False).stderr


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_core_compiles_in_the_dialect_of_msvc(machine, tmp_path):
    sources = [path for path in FILES if path.suffix == ".c"]
    assert len(sources) > 40 and compiled_as_msvc_would(tmp_path, machine, sources) == ""


@pytest.mark.parametrize(
    "line",
    ["double f(int n) { double x[n]; return x[0]; }", "int f(int x) { return x ?: 1; }", "double f(double x) { return lgamma_r(x, 0); }"],
)
def test_what_msvc_lacks_does_not_compile(line, tmp_path):
    (tmp_path / "a.c").write_text(f"#include <math.h>\n{line}\n", encoding="utf-8")
    assert "error" in compiled_as_msvc_would(tmp_path, "x86_64", [tmp_path / "a.c"])


@pytest.mark.parametrize(("compiler", "given"), [("msvc", None), ("unix", None), ("mingw32", None), ("unix", "-g -O1")])
def test_the_flags_of_each_compiler(compiler, given, monkeypatch):
    setuptools = pytest.importorskip("setuptools")
    build_ext = pytest.importorskip("setuptools.command.build_ext").build_ext
    made = {}
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("UGT_CFLAGS", raising=False)
    if given is not None:
        monkeypatch.setenv("UGT_CFLAGS", given)
    monkeypatch.setattr("setuptools.setup", lambda **options: made.update(options))
    monkeypatch.setitem(sys.modules, "Cython", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "Cython.Build", SimpleNamespace(cythonize=lambda extensions, **options: extensions))
    runpy.run_path(str(ROOT / "setup.py"))
    monkeypatch.setattr(build_ext, "build_extensions", lambda self: None)
    command = made["cmdclass"]["build_ext"](setuptools.Distribution())
    command.extensions, command.compiler = made["ext_modules"], SimpleNamespace(compiler_type=compiler)
    command.build_extensions()
    assert len(command.extensions) > 10
    for one in command.extensions:
        flags = one.extra_compile_args
        assert one.libraries == ([] if compiler == "msvc" else ["m"])
        assert ("/std:c11" if compiler == "msvc" else "-std=c11") in flags
        assert all(flag.startswith("/" if compiler == "msvc" else "-") for flag in flags)
        assert given is None or flags[1:] == given.split() == one.extra_link_args


TEXTS = {"read_text": 0, "write_text": 1, "TextIOWrapper": 1}  # with their number of arguments before the encoding
BINARY = ("os", "tarfile", "zipfile", "gzip", "bz2", "lzma", "self")  # whose open() has bytes, if its mode has no "t"


def is_text_of_the_system(call):
    """Whether a call opens a file as text in the encoding of the system, which is cp1252 on many machines with Windows."""
    named = {one.arg: one.value for one in call.keywords}
    if "encoding" in named:
        return False
    name, home = getattr(call.func, "attr", getattr(call.func, "id", "")), getattr(getattr(call.func, "value", None), "id", "")
    if name in TEXTS:
        return len(call.args) <= TEXTS[name]
    if name not in ("open", "fdopen", "NamedTemporaryFile", "TemporaryFile"):
        return False
    parts = [part.value for one in (*call.args, *call.keywords) for part in ast.walk(one) if isinstance(part, ast.Constant)]
    modes = [one for one in parts if isinstance(one, str) and re.fullmatch("[rwax][bt+]*", one)]
    if modes and not (name == "open" and home in BINARY):
        return not all("b" in one for one in modes)
    by_default = isinstance(call.func, ast.Name) and name == "open" and "mode" not in named and len(call.args) < 2
    return by_default or "newline" in named or any("t" in one for one in modes) or (name == "open" and not call.args and home not in BINARY)


def texts_of_the_system(path):
    text = path.read_text(encoding="utf-8")
    if not re.search("open|TemporaryFile|" + "|".join(TEXTS), text):
        return []
    return [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and is_text_of_the_system(node)]


def test_every_text_has_an_encoding():
    folders = ("ugt", "packaging", "tests", "benchmarks", "docs")
    sources = [ROOT / "setup.py", *(path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))]
    assert {str(path): lines for path in sources if (lines := texts_of_the_system(path))} == {}


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("open(x)", True),
        ("open(x, 'w')", True),
        ("open(x, 'w' if new else 'ab')", True),
        ("open(x, mode)", False),
        ("open(x, 'rb')", False),
        ("open(x, 'w', encoding='utf-8')", False),
        ("p.read_text()", True),
        ("p.write_text(y)", True),
        ("p.write_text(y, 'utf-8')", False),
        ("p.open()", True),
        ("p.open('w', newline='')", True),
        ("p.open('rb')", False),
        ("Image.open(p)", False),
        ("gzip.open(p, 'wt')", True),
        ("gzip.open(p, 'w')", False),
        ("os.open(p, os.O_RDWR)", False),
        ("os.fdopen(n, 'w')", True),
        ("NamedTemporaryFile('w+')", True),
        ("NamedTemporaryFile()", False),
        ("io.TextIOWrapper(file)", True),
        ("io.TextIOWrapper(file, 'utf-8')", False),
    ],
)
def test_texts_of_the_system_are_seen(call, found):
    assert is_text_of_the_system(ast.parse(call, mode="eval").body) is found


def default_integers(path):
    """Lines that ask for the default integer of numpy, which has 32 bits on Windows before numpy 2."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            given = [one.value for one in node.keywords if one.arg == "dtype"]
            named = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            given += (
                node.args[:1] if named == "astype" else node.args[1:2] if named in ("array", "asarray", "zeros", "ones", "empty") else []
            )
            if any(isinstance(one, ast.Name) and one.id == "int" for one in given):
                yield node.lineno


def test_no_array_has_the_default_integer():
    found = {path.name: lines for path in sorted((ROOT / "ugt").rglob("*.py")) if (lines := list(default_integers(path)))}
    assert found == {}


@pytest.mark.parametrize(
    ("one", "other", "size"),
    [
        (np.array([1.0, 2.0]), np.array([1.0, 2.0]), None),
        (np.array([1.0, np.nan]), np.array([1.5, np.nan]), 0.5 / 1.5),
        (np.array([100.0]), np.array([101.0]), 1 / 101),
        (np.array([np.inf]), np.array([-np.inf]), np.inf),
        (np.array([1, 2]), np.array([1.0, 2.0]), 0.0),
        (np.array([1.0]), np.array([1.0, 1.0]), np.inf),
        ("1.0", "1.25", 0.25 / 1.25),
        ("a", "b", np.inf),
    ],
)
def test_how_far_numbers_of_two_systems_are_apart(one, other, size):
    sides = [{"numbers": {"f 0": {"": stored(numbers(value)[""] if isinstance(value, np.ndarray) else value)}}} for value in (one, other)]
    assert compare(*sides) == ({} if size is None else {"f 0": pytest.approx(size)})


@pytest.mark.parametrize(
    ("one", "other", "size"),
    [
        ("made 2026-11-23T20:21:41+00:00 by 3.11.7: 0.5", "made 2027-01-02T03:04:05+00:00 by 3.11.9: 0.5", 0.0),
        ("0.5 and 1e-3", "0.5 and 0.0015", 5e-4),
        ("200 cases, 4", "100 cases, 4", 0.5),
        ("3 cases", "3 labels", np.inf),
        ("1 2", "1", np.inf),
        ("a\r\n1", "a\n1", np.inf),
    ],
)
def test_reports_differ_by_words_and_numbers_but_not_by_their_date(one, other, size):
    assert text_difference(one, other) == pytest.approx(size)


def test_a_file_that_one_report_lacks_is_a_difference(tmp_path):
    for side, names in (("one", ("a.csv", "b.csv")), ("other", ("a.csv",))):
        (tmp_path / side).mkdir()
        for name in names:
            (tmp_path / side / name).write_text("x,1\n", encoding="utf-8")
    assert compare_reports(tmp_path / "one", tmp_path / "other") == {"a.csv": 0.0, "b.csv": np.inf}


def test_streams_may_not_differ_at_all_and_functions_by_their_tolerance():
    drawn = streams()
    assert {name.split()[0] for name in drawn} > set(EXACT)
    assert {tolerance(name) for name in drawn} == {0.0, 1e-13}
    assert tolerance("fit_reliability 2") == 1e-6


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_no_function_is_refused_on_the_largest_problem_that_systems_are_compared_on():
    world = make_world(**WORLDS[-1])
    assert [name for name, entry in FUNCTIONS.items() if not numbers(entry.call(world))] == []


def test_the_table_of_systems_counts_calls_and_names_the_larger_differences():
    kept = {name: {"": stored(numbers(np.array([1.0]))[""])} for name in ("f 0", "f 1", "g 0")}
    moved = {**kept, "f 1": {"": stored(numbers(np.array([1 + 1e-15]))[""])}, "g 0": {"": stored(numbers(np.array([1.25]))[""])}}
    sides = [{"system": "Windows AMD64", "byte order": "little", "numpy": "2.0.2", "numbers": one} for one in (moved, kept)]
    assert rows([tuple(sides)]).splitlines()[-1] == "| Windows AMD64, little endian | 2.0.2 | 1 of 3 | 1 | `g` 2e-01 |"
