"""The kinds of annotations; ``ugt.annotations`` is what users import."""
