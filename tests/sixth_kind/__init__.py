"""A sixth kind of function, made of new files only: scalar functions that remember their answers.

``memoized_function`` is what a user writes, ``memoized_kind`` the entry for ``KINDS``,
``memoized_node`` what runs in Spark's workers.
"""
