"""The side channel: records from the workers to the kernel, and commands back.

``wire`` is the message format, ``sender`` the worker's end, ``receiver`` the kernel's end,
``store`` the kernel's collected records. No Spark in here.
"""
