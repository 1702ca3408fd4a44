"""Mutants of one module by the operators of Cosmic Ray, without those that change nothing that is ever run."""

from __future__ import annotations

import ast
import difflib
from dataclasses import dataclass

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

ARITHMETIC = {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"}
BITS = {"BitAnd", "BitOr", "BitXor"}
ORDER = {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"}
IDENTITY = {"Is", "IsNot"}
EXPRESSIONS = {"arith_expr", "term", "power", "expr", "and_expr", "xor_expr", "shift_expr"}  # an operator elsewhere is a star of arguments
SHIFTS = {"LShift", "RShift"}
OTHERS = {
    "AddNot", "ExceptionReplacer", "NumberReplacer", "RemoveDecorator", "ReplaceAndWithOr", "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak", "ReplaceFalseWithTrue", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceUnaryOperator_Delete_Invert",
    "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_USub", "ZeroIterationForLoop",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one module: the operator, and which of the places where it applies."""

    module: str
    operator: str
    occurrence: int
    line: int


def wanted(operator):
    """Arithmetic becomes other arithmetic, an order another order: anything else fails at once and would flatter the tests."""
    name = operator.split("/")[1]
    if name in OTHERS:
        return True
    if not name.startswith(("ReplaceBinaryOperator", "ReplaceComparisonOperator")):
        return False
    pair = set(name.split("_")[1:])
    return any(pair <= family for family in (ARITHMETIC, BITS, ORDER, IDENTITY, SHIFTS))


def never_run(tree):
    """Ranges of positions of what only type checkers read: annotations, and what stands under ``if TYPE_CHECKING``."""
    for node in ast.walk(tree):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            parts.append(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast":
            parts.append(node.args[0])
        yield from (((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)) for part in parts if part is not None)


def mutants(module, source):
    """All mutants of a module, in the order of operators and lines."""
    hidden = list(never_run(ast.parse(source)))
    nodes = list(ast_nodes(get_ast(source)))
    found = []
    for name in sorted(filter(wanted, cosmic_ray.plugins.operator_names())):
        operator = cosmic_ray.plugins.get_operator(name)()
        places = ((node, start) for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, (node, (line, column)) in enumerate(places):
            star = "BinaryOperator" in name and node.parent.type not in EXPRESSIONS
            if not star and not any(start <= (line, column) < end for start, end in hidden):
                found.append(Mutant(module, name.split("/")[1], occurrence, line))
    return found


def mutate(mutant, source):
    """The source with the change, its code, the lines before and after; ``None`` if it is no Python or the same program."""
    changed = mutate_code(source, cosmic_ray.plugins.get_operator(f"core/{mutant.operator}")(), mutant.occurrence)
    if changed is None:
        return None
    try:
        tree = ast.parse(changed)
    except SyntaxError:
        return None
    if ast.dump(tree) == ast.dump(ast.parse(source)):
        return None
    lines = [line for line in difflib.ndiff(source.splitlines(), changed.splitlines()) if line[:2] in ("- ", "+ ")]
    old, new = (" ".join(" ".join(line[2:].split()) for line in lines if line[0] == sign).strip() for sign in "-+")
    return changed, old, new


def lines_of(tree, line):
    """Lines whose run runs the statement that ``line`` is a part of: its own, or for the head of a definition those of its body."""
    inner = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and first_line(node) <= line <= node.end_lineno:
            inner = node if inner is None or first_line(node) >= first_line(inner) else inner
    if inner is None:
        return range(0)
    body = getattr(inner, "body", None)
    if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
        return range(body[0].lineno, inner.end_lineno + 1)
    return range(first_line(inner), (body[0].lineno if body else inner.end_lineno + 1))


def first_line(node):
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
