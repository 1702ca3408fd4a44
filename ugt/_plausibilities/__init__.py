"""The kinds of plausibilities, and how they are computed; ``ugt.plausibilities`` is what users import."""
