"""What all others stand on: checks of input, names of cases and classes, ragged arrays, threads, notices."""
