"""Which hints the readers of files can print: every argument that a message or a note of theirs names, by its place in the sources."""

import ast
import importlib
import sys
from functools import partial
from pathlib import Path

import ugt
from ugt._base.wording import Arg, arg
from ugt.cli import wording

PACKAGE = Path(ugt.__file__).parent
READERS = [
    *sorted((PACKAGE / "io").glob("*.py")),
    *sorted((PACKAGE / "_tabular").glob("*.py")),
    *(PACKAGE / name for name in ("annotations/class_columns.py", "annotations/model_scores.py", "_base/names.py")),
]


def _calls(tree, inside=""):
    """Yield ``(name of the function, call)`` of each call of ``arg``; "" for those that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "arg":
            yield inside, node
        if isinstance(node, ast.FunctionDef):
            for part in [*node.args.defaults, *node.args.kw_defaults]:
                yield from (("", one) for _, one in _calls(ast.Expression(part), inside)) if part else ()
            yield from _calls(ast.Module(node.body, []), node.name)
        else:
            yield from _calls(node, inside)


def sites():
    """Return the hints by module and line: ``{path: [(name, function, call)]}``."""
    found = {}
    for path in READERS:
        calls = _calls(ast.parse(path.read_text(encoding="utf-8")))
        found[path] = [(f"{path.relative_to(PACKAGE).as_posix()} {name}: {ast.unparse(call)}", name, call) for name, call in calls]
    return found


class Printed:
    """Records which hints a command prints, while its patches hold."""

    def __init__(self, monkeypatch):
        self.found, self._made, self._imported = set(), {}, []
        for path, known in sites().items():
            module = importlib.import_module(".".join(["ugt", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__"))
            if hasattr(module, "arg"):
                monkeypatch.setattr(module, "arg", partial(self._recorded, known))
            for site, name, call in known:
                if not name:
                    self._imported.append((Arg(*map(ast.literal_eval, call.args)), site))
        spell = wording._Options.__call__
        monkeypatch.setattr(wording._Options, "__call__", lambda own, named: self._spelled(named) or spell(own, named))

    def _recorded(self, known, name, value=None):
        text, line = arg(name, value), sys._getframe(1).f_lineno
        (part,) = text.parts
        near = [
            site for site, inside, call in known if inside and call.lineno <= line <= call.end_lineno and self._may_be(call, name, value)
        ]
        self._made[id(part)] = part, near
        return text

    @staticmethod
    def _may_be(call, name, value):
        given = [name, value]
        return all(one.value == own for one, own in zip(call.args, given) if isinstance(one, ast.Constant))

    def _spelled(self, named):
        if id(named) in self._made:
            self.found.update(self._made[id(named)][1])
        else:
            self.found.update(site for own, site in self._imported if own == named)
