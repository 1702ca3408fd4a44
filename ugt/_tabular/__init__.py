"""Columns of files and frames as people have them, before anything is known of annotations."""
