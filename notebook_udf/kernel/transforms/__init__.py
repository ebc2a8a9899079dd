"""What ``DataFrame.transform`` takes: aggregates, table and process functions, async calls."""
