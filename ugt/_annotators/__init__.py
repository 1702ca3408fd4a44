"""Annotator models; ``ugt.annotator_models`` is what users import."""
