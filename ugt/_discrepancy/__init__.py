"""Discrepancy ratios and the distances in them; ``ugt.discrepancy`` is what users import."""
