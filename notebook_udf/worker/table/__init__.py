"""Table functions over the rows of a partition."""
