"""Where a function's time goes, by line and by call: what samples add up to, and how it looks.

What it leaves to others: taking samples (``worker.runtime.profiler``), folding their frames
(``telemetry.stacks``), running what is profiled (``kernel.measure.profile_run``).
"""
