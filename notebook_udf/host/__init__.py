"""All that the package asks of a Spark session, and the one place that touches its insides."""
