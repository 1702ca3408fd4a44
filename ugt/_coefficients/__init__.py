"""Chance-corrected agreement; ``ugt.coefficients`` is what users import."""
