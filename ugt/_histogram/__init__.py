"""Losses against label histograms; ``ugt.histogram`` is what users import."""
