"""Columns of files and data frames, read without knowledge of annotations."""
