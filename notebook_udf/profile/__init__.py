"""Profiles: where a function's time goes, by line and by call, summed up from stack samples.

What it leaves to others: taking samples (``worker.runtime.profiler``), folding their frames
(``telemetry.stacks``), running the profiled query (``kernel.measure.profile_run``).
"""
