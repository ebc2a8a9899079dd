"""Calls: of builtins, methods, operators and libraries, each led to what writes it."""
