"""What an evaluation computes, table by table; ``ugt.evaluation`` is what users import."""
