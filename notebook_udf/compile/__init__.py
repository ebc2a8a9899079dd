"""Bytecode of Python functions, read to see what they compute; nothing in here runs them."""
