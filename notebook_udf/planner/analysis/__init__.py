"""Analysis of a query, which it does not change: calls of our functions, scopes, names."""
