"""A call of a registered function → a Spark plan; one module per kind of function."""
