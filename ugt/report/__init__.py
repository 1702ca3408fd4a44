"""An evaluation as one self-contained HTML page.

``html`` takes what ``Evaluation.to_dict`` returns and gives the text of the page: no script, nothing loaded from elsewhere.
"""

from __future__ import annotations

from .page import html

__all__ = ["html"]
