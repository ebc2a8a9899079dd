"""One function in one task: how it travels, what it is called with, what becomes of bad rows."""
