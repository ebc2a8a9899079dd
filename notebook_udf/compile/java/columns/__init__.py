"""What Spark gives a function and takes from it: columns, records and rows."""
