"""Conformal prediction; ``ugt.conformal`` is what users import."""
