"""The one bootstrap; ``ugt.resampling`` is what users import."""
