"""Reader studies, and planning: how many cases, labels, annotators and readers a study needs."""

__all__: list[str] = []
