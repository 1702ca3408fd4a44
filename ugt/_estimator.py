"""The conventions of scikit-learn, without it: parameters, cloning, pipelines; and JSON."""

from __future__ import annotations

import inspect
import json
import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ._checks import error
from ._version import __version__

if TYPE_CHECKING:
    from typing_extensions import Self

Fitted = TypeVar("Fitted", bound="Calibrator")


class Calibrator:
    """Parameters are what the constructor takes; what a fit finds ends in an underscore."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor, by name."""
        del deep  # no parameter is an estimator
        return {name: getattr(self, name) for name in _parameters(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Change parameters of the constructor; returns itself."""
        known = _parameters(type(self))
        for name, value in params.items():
            if name not in known:
                raise error("params", f"be among {', '.join(known)}", repr(name))
            setattr(self, name, value)
        return self

    def to_json(self, path: Any = None) -> str:
        """Parameters and what was fitted as JSON text, also written to ``path`` if that is given. Numbers come back to the last bit."""
        self._check_fitted()
        fitted = {name: _plain(value) for name, value in vars(self).items() if name.endswith("_")}
        params = {name: _plain(value) for name, value in self.get_params().items()}
        text = json.dumps({"calibrator": type(self).__name__, "ugt": __version__, "params": params, "fitted": fitted}, indent=1)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        return text

    @classmethod
    def from_json(cls: type[Fitted], source: Any) -> Fitted:
        """From the text that :meth:`to_json` returns, or the path of a file that it wrote."""
        held = read_json(source)
        if held["calibrator"] != cls.__name__:
            raise error("source", f"hold a {cls.__name__}", repr(held["calibrator"]))
        return restored(cls, held)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise ValueError(f"{type(self).__name__} must be fitted first: call fit.")

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags  # type: ignore[import-untyped]  # noqa: PLC0415  (who asks has it)

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(),
        )

    def __repr__(self) -> str:
        defaults = _parameters(type(self))
        said = [f"{name}={value!r}" for name, value in self.get_params().items() if not _same(value, defaults[name])]
        return f"{type(self).__name__}({', '.join(said)})"


def _parameters(kind: type) -> dict[str, Any]:
    """Names and defaults of the constructor."""
    return {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and not isinstance(a, np.ndarray) and bool(a == b)


def _plain(value: Any) -> Any:
    """What JSON can say; arrays as lists."""
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": value.dtype.name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


def read_json(source: Any) -> dict[str, Any]:
    """The content of a text or file."""
    text = source
    if not isinstance(source, str) or not source.lstrip().startswith("{"):
        with open(os.fspath(source), encoding="utf-8") as file:
            text = file.read()
    try:
        held = json.loads(text)
    except ValueError as problem:
        raise error("source", "be the JSON of a calibrator", f"text that is no JSON ({problem})") from None
    if not isinstance(held, dict) or not {"calibrator", "params", "fitted"} <= set(held):
        raise error("source", "be the JSON of a calibrator", "other content")
    return held


def restored(kind: type[Fitted], held: dict[str, Any]) -> Fitted:
    """A fitted calibrator from its content."""
    known = _parameters(kind)
    unknown = sorted(set(held["params"]) - set(known))
    if unknown:
        raise error("source", f"have parameters of {kind.__name__}", repr(unknown[0]))
    found = kind(**{name: _object(value) for name, value in held["params"].items()})
    for name, value in held["fitted"].items():
        if not name.isidentifier() or not name.endswith("_") or name.startswith("_"):
            raise error("source", "have fitted numbers of a calibrator", repr(name))
        setattr(found, name, _object(value))
    return found


def _object(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"array", "dtype"}:
        if value["dtype"] not in ("float64", "int64", "bool"):
            raise error("source", "have arrays of numbers", repr(value["dtype"]))
        return np.array(value["array"], value["dtype"])
    return value
