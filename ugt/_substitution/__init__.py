"""A model in the place of an annotator; ``ugt.substitution`` is what users import."""
