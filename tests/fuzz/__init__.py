"""Fuzzing of what reads what others wrote: ``python -m tests.fuzz [NAME …] [--seconds 600]``."""
