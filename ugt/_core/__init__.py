"""Compiled kernels. Nothing here imports the rest of ``ugt``; callers check their input first."""
