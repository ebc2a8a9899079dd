"""What a piece of Java is while it is written: terms, their kinds, statements and blocks."""
