"""A function's body: the names in it, its evaluations, its blocks, and where they meet."""
