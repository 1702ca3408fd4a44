"""What calibrators are made of; ``ugt.calibrators`` is what users import."""
