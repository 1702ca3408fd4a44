"""The tables of an evaluation: values without words, each made by one module, from a context that was read once.

A maker has ``TABLES``, the columns of its tables, and ``make(context, notes)``, which returns their rows and adds to ``notes`` what a
reader must know.
"""

from __future__ import annotations

from .rows import ResultTable

__all__ = ["SCHEMA", "ResultTable"]

SCHEMA = 5  # version of the JSON that holds the tables
