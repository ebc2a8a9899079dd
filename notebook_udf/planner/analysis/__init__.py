"""What a query says: its calls of our functions, its columns, their names. It changes nothing."""
