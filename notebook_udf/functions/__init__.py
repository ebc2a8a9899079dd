"""What users declare functions with: base classes, decorators, options, context and metrics.
Of Spark only its type objects are used here, and nothing says how a function runs."""
