"""The commands of ``ugt``, one file each, and what they share."""
