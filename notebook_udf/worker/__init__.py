"""What runs inside Spark's Python workers.

``runtime`` is the process and its tasks, ``call`` a function in a task, ``codec`` its columns as
Python values and back. ``scalar``, ``aggregate``, ``table``, ``async_`` and ``process`` run the
kinds of functions; ``stream`` and ``state`` keep them going over micro-batches.

It knows ``functions``, ``types`` and ``telemetry``; it never imports what runs in the kernel.
How Spark starts and feeds a worker is known to ``pool.spark_worker`` alone.
"""
