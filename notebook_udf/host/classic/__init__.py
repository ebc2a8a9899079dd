"""A classic Spark session: Spark's driver is a JVM of this machine, called through py4j."""
