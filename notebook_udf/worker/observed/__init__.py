"""Functions made by PySpark's own API, which run as Spark runs them and are watched."""
