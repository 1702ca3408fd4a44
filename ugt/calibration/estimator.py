"""The base of calibrators: scikit-learn's conventions of parameters, cloning and pipelines without scikit-learn; and JSON."""

from __future__ import annotations

import inspect
import json
import math
import os
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from .._base.checks import Twice, error, once
from .._base.version import __version__
from .._tabular.whole_file import write_text

__all__ = ["Calibrator", "Self", "read_json", "restored"]

if TYPE_CHECKING:
    from typing_extensions import Self
else:
    Self = Any

Fitted = TypeVar("Fitted", bound="Calibrator")


class Calibrator:
    """The base class of calibrators: parameters are arguments of the constructor; fitted attributes end in an underscore.

    ``_fitted`` has the kind of each fitted attribute by name: a type, "+" for a number above 0, or a letter for each axis of an array of
    finite numbers (K is ``n_classes_``).
    """

    _fitted: ClassVar[dict[str, Any]] = {}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the constructor, by name; ``deep`` has no effect, because none of them is an estimator."""
        return {name: getattr(self, name) for name in _parameters(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Change parameters of the constructor and return the calibrator itself."""
        known = _parameters(type(self))
        for name, value in params.items():
            if name not in known:
                raise error("params", f"be among {', '.join(known)}", repr(name))
            setattr(self, name, value)
        return self

    def to_json(self, path: object = None) -> str:
        """Return parameters and fitted attributes as JSON text, and write it to ``path`` if given; numbers are kept to the last bit."""
        self._check_fitted()
        fitted = {name: _plain(value) for name, value in vars(self).items() if name.endswith("_")}
        params = {name: _plain(value) for name, value in self.get_params().items()}
        held = {"calibrator": type(self).__name__, "ugt": __version__, "params": params, "fitted": fitted}
        text = json.dumps(held, indent=1, default=_refused, allow_nan=False)
        if path is not None:
            write_text(path, text + "\n")
        return text

    @classmethod
    def from_json(cls: type[Fitted], source: object) -> Fitted:
        """Read a calibrator from the text that :meth:`to_json` returns, or from the path of a file that it wrote."""
        held = read_json(source)
        if held["calibrator"] != cls.__name__:
            raise error("source", f"hold a {cls.__name__}", repr(held["calibrator"]))
        return restored(cls, held)

    def _check_restored(self) -> None:
        """Refuse fitted attributes that no fit can have although their kinds and shapes are right."""

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise ValueError(f"{type(self).__name__} must be fitted first: call fit.")

    def __sklearn_is_fitted__(self) -> bool:
        if self._fitted:
            return self._fitted.keys() <= vars(self).keys()
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags  # type: ignore[import-untyped]  # noqa: PLC0415  (only scikit-learn calls it)

        return Tags(estimator_type=None, target_tags=TargetTags(required=True), transformer_tags=TransformerTags(), input_tags=InputTags())

    def __repr__(self) -> str:
        defaults = _parameters(type(self))
        said = [f"{name}={value!r}" for name, value in self.get_params().items() if not _same(value, defaults[name])]
        return f"{type(self).__name__}({', '.join(said)})"


def _parameters(kind: type) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}


def _same(a: object, b: object) -> bool:
    return type(a) is type(b) and not isinstance(a, np.ndarray) and bool(a == b)


def _plain(value: object) -> Any:
    """Return the value in the types of JSON, arrays as lists."""
    if isinstance(value, np.ndarray):
        endless = value.dtype.kind == "f" and not np.isfinite(value).all()
        held = np.where(np.isfinite(value), value.astype(object), value.astype(str)) if endless else value
        return {"array": held.tolist(), "dtype": value.dtype.name}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


def _number(held: dict[str, Any]) -> Any:
    """Return NaN or an infinity, for which JSON has no number, from its object; other objects stay as they are."""
    return float(held["number"]) if held.keys() == {"number"} and held["number"] in ("nan", "inf", "-inf") else held


def _refused(value: object) -> Any:
    raise error("params", "be numbers, text, lists or arrays to be saved as JSON", repr(value))


def read_json(source: Any) -> dict[str, Any]:
    text = source
    try:
        if not isinstance(source, str) or not source.lstrip().startswith("{"):
            with open(os.fspath(source), encoding="utf-8") as file:
                text = file.read()
        held = json.loads(text, object_pairs_hook=lambda pairs: _number(once("source")(pairs)))
    except Twice:
        raise
    except TypeError:
        raise error("source", "be the JSON of a calibrator or the path of a file", repr(source)) from None
    except (ValueError, RecursionError) as problem:
        raise error("source", "be the JSON of a calibrator", f"text that is not JSON ({problem})") from None
    if not isinstance(held, dict) or not isinstance(held.get("calibrator"), str):
        raise error("source", "be the JSON of a calibrator", "other content")
    for part in ("params", "fitted"):
        if not isinstance(held.get(part), dict):
            raise error("source", f"be the JSON of a calibrator, with {part} by name", repr(held.get(part)))
    return held


def restored(kind: type[Fitted], held: dict[str, Any]) -> Fitted:
    known = _parameters(kind)
    unknown = sorted(set(held["params"]) - set(known))
    if unknown:
        raise error("source", f"have parameters of {kind.__name__}", repr(unknown[0]))
    found = kind(**{name: _object(name, value) for name, value in held["params"].items()})
    fitted = {name: _object(name, value) for name, value in held["fitted"].items()}
    for name in fitted:  # exactly the attributes of a fit are allowed
        if (kind._fitted and name not in kind._fitted) or not name.isidentifier() or not name.endswith("_") or name.startswith("_"):
            raise error("source", "have fitted numbers of a calibrator", repr(name))
    missing = [name for name in kind._fitted if name not in fitted]
    if missing:
        raise error("source", f"have all fitted numbers of a {kind.__name__}", f"no {missing[0]}")
    sizes = {"K": fitted.get("n_classes_")}
    for name, value in fitted.items():
        if name in kind._fitted and not _is(value, kind._fitted[name], sizes):
            raise error("source", f"have {name} of a {kind.__name__}", repr(value))
        setattr(found, name, value)
    found._check_restored()
    return found


def _is(value: Any, what: Any, sizes: dict[str, Any]) -> bool:
    """Return whether a value is of the kind that ``_fitted`` names; ``sizes`` keeps the lengths of axes."""
    if isinstance(what, str) and what != "+":
        shaped = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == len(what) and bool(np.isfinite(value).all())
        return shaped and all(sizes.setdefault(axis, length) == length for axis, length in zip(what, value.shape))
    if what in ("+", float):
        return isinstance(value, float) and bool(np.isfinite(value)) and (what is float or value > 0)
    return isinstance(value, what) and (what is bool or not isinstance(value, bool))


def _object(name: str, value: object) -> Any:
    if isinstance(value, dict) and set(value) == {"array", "dtype"}:
        if value["dtype"] not in ("float64", "int64", "bool"):
            raise error("source", "have arrays of numbers", repr(value["dtype"]))
        try:
            return np.array(value["array"], value["dtype"])
        except (ValueError, TypeError, OverflowError):
            raise error("source", "have arrays of numbers", f"{name} with something else") from None
    return value
