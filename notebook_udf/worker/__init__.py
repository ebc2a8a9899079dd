"""The code that runs inside Spark's Python workers.

``runtime`` is the worker and its tasks, ``call`` one function in a task, ``codec`` the
conversion between Arrow columns and Python values. ``scalar``, ``aggregate``, ``table``, ``async_``
and ``process`` run the kinds of functions; ``stream`` and ``state`` run them on streams, with state
from one micro-batch to the next.

It never imports what runs in the kernel. Only ``pool.spark_worker`` knows how Spark starts and
feeds a worker.
"""
