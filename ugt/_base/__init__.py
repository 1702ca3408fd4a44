"""The base of all other modules: checks of input, names of cases and classes, ragged arrays, threads, notices."""
