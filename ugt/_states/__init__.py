"""Metrics of data that is in parts: states, which are sums; ``ugt.states`` is what users import."""
