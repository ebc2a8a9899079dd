"""A call of a registered function → a Spark plan.

``syntax`` reads and writes Spark's SQL, ``analysis`` says what a query means, ``rules`` rewrite it,
``physical`` makes the Spark functions that run it. ``dataframe`` and ``streaming`` plan what comes
without SQL.
"""
