"""Make the stubs, which type checkers read: ``python tests/stubs.py``. A test compares what is made with the files.

``ugt/__init__.pyi`` follows from the tables of ``ugt/__init__.py``, and ``ugt/_core/*.pyi`` from the signatures of the bindings. A comment
at a signature gives what C types do not say: ``# law: tuple[float, int] -> bool``. A memoryview that may be None is compared with None.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))  # these sources, whatever is installed

import ugt  # noqa: E402

WIDTH = 140
SCALARS = {"bint": "bool", "double": "float", "float": "float"}
INTEGER = re.compile(r"u?int(8|16|32|64)_t|int|size_t")
HEAD = "import numpy as np\nfrom numpy.typing import NDArray\n"


def top() -> str:
    """Return the stub of the package: its version, its namespaces, and the names on top."""
    spaces = "".join(f"from . import {space} as {space}\n" for space in ugt._NAMESPACES)
    names = "".join(f"from .{home} import {name} as {name}\n" for home, names in ugt._TOP.items() for name in names.split())
    return f"{spaces}from ._base.version import __version__ as __version__\n{names}"


class Function(NamedTuple):
    """A function of a binding, or a method, as its source has it."""

    indent: str
    name: str
    parameters: list[str]
    types: dict[str, str]  # of parameters that the comment names
    returns: str
    body: str


def end_of(text: str, start: int) -> int:
    """Return the place behind the bracket that closes the one at ``start``."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if depth == 0:
            return place + 1
    raise ValueError("a bracket is not closed")


def apart(text: str, sign: str = ",") -> list[str]:
    """Return the parts of a list, at commas that are in no brackets."""
    flat = list(text)
    for match in re.finditer(r"[(\[{]", text):
        for place in range(match.start(), end_of(text, match.start())):
            flat[place] = "_"
    ends = [-1, *(place for place, letter in enumerate(flat) if letter == sign), len(text)]
    return [part for a, b in zip(ends, ends[1:]) if (part := " ".join(text[a + 1 : b].split()))]


def functions(source: str) -> Iterator[Function]:
    """Yield the functions that Python sees, in order."""
    for match in re.finditer(r"^( *)def (\w+)(?=\()", source, re.MULTILINE):
        indent, name = match.groups()
        close = end_of(source, match.end())
        below = source.index("\n", close) + 1
        further = re.search(rf"^ {{0,{len(indent)}}}\S", source[below:], re.MULTILINE)
        said = re.match(r":(?:(?: *# .*)?\n)(?: *# .*\n)*", source[close:])
        given, _, returns = " ".join(re.findall("# (.*)", said.group() if said else "")).rpartition("-> ")
        types = dict(part.split(": ", 1) for part in apart(given))
        body = source[below : below + further.start() if further else len(source)]
        parameters = [one for one in apart(source[match.end() + 1 : close - 1]) if one != "self"]
        yield Function(indent, {"__cinit__": "__init__"}.get(name, name), parameters, types, returns or "None", body)


def parameter(given: str, one: Function) -> str:
    """Return a parameter with its type and default, as a stub writes them."""
    declared, _, default = given.partition("=")
    name = declared.split()[-1]
    c_type = " ".join(word for word in declared.split()[:-1] if word != "const")
    array = re.fullmatch(r"(\w+)\[.*\]", c_type)
    if name in one.types:
        found = one.types[name]
    elif array:
        item = {"double": "float64", "float": "float32", "int": "int32"}.get(array.group(1), array.group(1).removesuffix("_t"))
        found = f"NDArray[np.{item}]" + (" | None" if re.search(rf"\b{name} is (not )?None", one.body) or default == "None" else "")
    else:
        found = "int" if INTEGER.fullmatch(c_type) else SCALARS.get(c_type, c_type)
    if not found:
        raise ValueError(f"{one.name}: a comment at the signature must say the type of {name}")
    return f"{name}: {found}" + (f" = {default.strip()}" if default else "")


def written(one: Function) -> str:
    """Return a function as a stub, as ruff formats it."""
    if one.returns == "None" and re.search(r"^\s+return +\S", one.body, re.MULTILINE):
        raise ValueError(f"{one.name}: a comment at the signature must say what it returns")
    listed = [*(["self"] if one.indent else []), *(parameter(given, one) for given in one.parameters)]
    head, tail = f"{one.indent}def {one.name}(", f") -> {one.returns}: ..."
    inner = f"{one.indent}    {', '.join(listed)}"
    if len(head + ", ".join(listed) + tail) <= WIDTH:
        return f"{head}{', '.join(listed)}{tail}\n"
    if len(inner) <= WIDTH:
        return f"{head}\n{inner}\n{one.indent}{tail}\n"
    return f"{head}\n" + "".join(f"{one.indent}    {name},\n" for name in listed) + f"{one.indent}{tail}\n"


def core(source: str) -> str:
    """Return the stub of a binding: its constants, then functions and classes in the order of the source."""
    found: list[tuple[int, str]] = []
    for match in re.finditer(r"^([A-Z_]+(?:, [A-Z_]+)*) = .*?(?:  # (\w+))?$", source, re.MULTILINE):
        found.append((-1, "".join(f"{name}: {match.group(2) or 'int'}\n" for name in match.group(1).split(", "))))
    for match in re.finditer(r"^(?:cdef )?class (\w+)[^\n]*:$", source, re.MULTILINE):
        found.append((match.start(), f"\nclass {match.group(1)}:\n"))
    for match in re.finditer(r"^    cdef readonly \w+ (.*)$", source, re.MULTILINE):
        found.append((match.start(), "".join(f"    {name}: int\n" for name in match.group(1).split(", "))))
    places = [match.start() for match in re.finditer(r"^( *)def \w+\(", source, re.MULTILINE)]
    found += [(place, written(one)) for place, one in zip(places, functions(source)) if one.name != "__dealloc__"]
    return spaced([text for _, text in sorted(found, key=lambda item: item[0])])


def spaced(parts: list[str]) -> str:
    """Return a stub of its parts, with a blank line before and behind a class, and below imports and constants."""
    text, within = "", False
    for part in parts:
        opens = part.startswith("\nclass")
        if within and not part.startswith((" ", "\n")):
            text += "\n"
        within = opens or (within and part.startswith(" "))
        if part.startswith("def ") and (text == "" or re.search(r"^[A-Z_]+: \w+\n\Z", text, re.MULTILINE)):
            text += "\n"
        text += part
    needs = "from typing import Any\n\n" if re.search(r"\bAny\b", text) else ""
    gap = "" if text.startswith("\n") else "\n"
    return f"{needs}{HEAD}{gap}{text}"


def made() -> dict[Path, str]:
    """Return the text of each stub."""
    bindings = sorted((ROOT / "ugt" / "_core").glob("*.pyx"))
    return {
        ROOT / "ugt" / "__init__.pyi": top(),
        **{path.with_suffix(".pyi"): core(path.read_text(encoding="utf-8")) for path in bindings},
    }


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
