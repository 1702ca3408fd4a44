"""Soft ranking metrics; ``ugt.soft`` is what users import."""
