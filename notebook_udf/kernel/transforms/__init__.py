"""What ``DataFrame.transform`` takes: aggregates, table functions, process functions, async calls."""
