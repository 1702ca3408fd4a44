"""An evaluation as tables, and as one self-contained HTML page.

``html`` takes what ``Evaluation.to_dict`` returns and gives the text of the page: no script, nothing loaded from elsewhere.
"""

from __future__ import annotations

from .page import first_page, guidelines, html
from .tables import ResultTable

__all__ = ["SCHEMA", "ResultTable", "first_page", "guidelines", "html"]

SCHEMA = 2  # of the JSON that pages are made of
