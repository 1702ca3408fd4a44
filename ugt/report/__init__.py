"""An evaluation as tables, and as one self-contained HTML page.

``html`` returns the page as text from the result of ``Evaluation.to_dict``: it has no script and loads nothing.
"""

from __future__ import annotations

from ..tables import SCHEMA
from ..tables.rows import ResultTable
from .page import first_page, guidelines, html

__all__ = ["SCHEMA", "ResultTable", "first_page", "guidelines", "html"]
