"""Files as people have them, in and out; ``ugt.io`` is what users import."""
