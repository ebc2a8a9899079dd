"""What runs inside Spark's Python workers: tasks, bundles, functions, their output and limits.

It knows ``functions``, ``types`` and ``telemetry``; it never imports what runs in the kernel.
How Spark starts and feeds a worker is known to ``pool.spark_worker`` alone.
"""
