"""Metrics of data that dask holds in partitions; ``ugt.dask`` is what users import."""
