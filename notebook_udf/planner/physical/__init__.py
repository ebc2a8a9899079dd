"""Physical plans: registered functions as Spark expressions and operators, a module per kind."""
