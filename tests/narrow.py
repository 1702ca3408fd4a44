"""Windows with numpy before 2 on any system: the default integer of numpy has 32 bits.

Run: pytest -p narrow tests/unit      (with PYTHONPATH=tests)

In every module of ugt, ``np`` stands for a namespace whose functions return `Narrow` arrays. Where numpy would choose its default integer,
because no argument has 64 bits and no dtype is given, these have 32 bits, so that a kernel that wants int64 refuses them as on Windows.
Places (argsort, nonzero, searchsorted, bincount) have 64 bits on all systems that ugt supports, and keep them.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from types import ModuleType
from typing import Any

import numpy as np

# Functions of numpy whose results are places or counts (intp), or whose integers have 64 bits everywhere.
PLACES = {"argmax", "argmin", "argpartition", "argsort", "argwhere", "bincount", "count_nonzero", "digitize", "flatnonzero", "lexsort"}
PLACES |= {
    "nanargmax",
    "nanargmin",
    "nonzero",
    "ravel_multi_index",
    "searchsorted",
    "unravel_index",
    "unique",
    "tril_indices",
    "triu_indices",
}
PLACES |= {"frombuffer", "ix_", "load", "tril_indices", "triu_indices"}


def wide(value: Any) -> bool:
    """Return whether an argument brings a type of 64 bits with it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "iu" and value.dtype.itemsize == 8
    if isinstance(value, (list, tuple)):
        return any(wide(one) for one in value)
    if isinstance(value, (range, int, float, str, bytes, type(None), dict)):
        return False
    try:  # an array of the core, or of another library
        return memoryview(value).format in ("l", "q", "L", "Q")
    except TypeError:
        return hasattr(value, "__array__")


def narrowed(found: Any, arguments: tuple[Any, ...], dtype: Any) -> Any:
    """Return a result of numpy as a `Narrow` array, with 32 bits where the type was numpy's choice."""
    if isinstance(found, (tuple, list)) and not hasattr(found, "_fields"):
        return type(found)(narrowed(one, arguments, dtype) for one in found)
    if (
        isinstance(found, (np.ndarray, np.generic))
        and found.dtype == np.int64
        and (dtype is int or (dtype is None and not wide(arguments)))
    ):
        small = found.astype(np.int32)
        found = small if (small == found).all() else found  # numbers that need more bits have them on Windows, too
    if type(found) is np.ndarray:
        is_new = found.flags.owndata and not any(found is one for one in arguments)
        return found.view(Narrow).copy() if is_new else found.view(Narrow)  # a new array owns its memory, as in numpy
    return found


def base(value: Any) -> Any:
    """Return a narrow array as what it is to numpy."""
    return np.asarray(value) if isinstance(value, Narrow) else value


class Narrow(np.ndarray):
    """An array whose results are narrow too."""

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        plain = tuple(base(one) for one in inputs)
        options = {name: base(one) for name, one in options.items()}
        if out is not None:
            options["out"] = tuple(base(one) for one in out)
        found = getattr(ufunc, method)(*plain, **options)
        if out is not None:
            return out[0] if len(out) == 1 else out
        return narrowed(found, plain[:1] if method in ("reduce", "accumulate", "reduceat") else plain, options.get("dtype"))


def _method(name: str) -> Any:
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        if "out" in options and options["out"] is not None:
            return getattr(np.asarray(self), name)(*arguments, **options)
        found = getattr(np.asarray(self), name)(*arguments, **options)
        given = options.get("dtype", arguments[0] if name == "astype" and arguments else None)
        return narrowed(found, (self,), given)

    return method


Narrow.__name__ = "ndarray"  # as messages name its type
for _name in ("astype", "sum", "cumsum", "prod", "cumprod"):
    setattr(Narrow, _name, _method(_name))


class Namespace(ModuleType):
    """The module numpy, or a part of it, whose functions return narrow arrays."""

    def __init__(self, real: Any) -> None:
        super().__init__(real.__name__)
        self.__dict__["real"] = real

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__dict__["real"], name)
        if isinstance(found, np.ufunc):
            made = UfuncOf(found)
        else:
            made = found if isinstance(found, type) or not callable(found) else function(found, name)
        self.__dict__[name] = made
        return made


class UfuncOf:
    """A ufunc whose results are narrow."""

    def __init__(self, real: np.ufunc) -> None:
        self.real = real

    def __call__(self, *inputs: Any, out: Any = None, dtype: Any = None, **options: Any) -> Any:
        if dtype is not None:
            options["dtype"] = dtype
        if out is not None:
            options["out"] = out
        found = self.real(*inputs, **options)
        return found if out is not None else narrowed(found, inputs, dtype)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.real, name)
        if name not in ("reduce", "accumulate", "reduceat", "outer", "at"):
            return found

        def method(*inputs: Any, **options: Any) -> Any:
            made = found(*inputs, **options)
            return made if options.get("out") is not None else narrowed(made, inputs[: 2 if name == "outer" else 1], options.get("dtype"))

        return method


def function(real: Any, name: str) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        found = real(*arguments, **options)
        if options.get("out") is not None:
            return found
        if name in PLACES:
            return narrowed(found, (np.empty(0, np.int64),), None)
        given = options.get("dtype")
        if given is None and name in ("array", "asarray", "ascontiguousarray", "zeros", "ones", "empty", "fromiter") and len(arguments) > 1:
            given = arguments[1]
        return narrowed(found, (*arguments, *options.values()), given)

    call.__name__ = name
    return call


def narrow(setter: Any = setattr) -> None:
    """Put the namespace in place of numpy in every module of ugt."""
    import ugt

    namespace = Namespace(np)
    for found in pkgutil.walk_packages(ugt.__path__, "ugt."):
        if "._core." in found.name or found.name.endswith("__main__"):
            continue
        importlib.import_module(found.name)
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "ugt" and getattr(module, "np", None) is np:
            setter(module, "np", namespace)


def pytest_configure(config: Any) -> None:
    """Run all tests that way."""
    narrow()


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave out the tests of memory: arrays that are made narrow take some more."""
    measured = [item for item in items if "memory" in item.nodeid]
    config.hook.pytest_deselected(items=measured)
    items[:] = [item for item in items if "memory" not in item.nodeid]
