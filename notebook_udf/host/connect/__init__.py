"""The implementation for Spark Connect: a session whose driver is reached by gRPC alone."""
