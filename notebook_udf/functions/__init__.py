"""What a user writes: base classes, decorators, options, context and metrics. No Spark in here
beyond its type objects, and nothing about how a function runs."""
