"""Spark's SQL as a tree and as text again: ``dialect`` is the door; nothing else knows the grammar.

``tokens`` cuts the text, ``expressions``, ``relations``, ``queries`` and ``statements`` read it by
the rules of Spark's own grammar, ``nodes`` holds what the tree is made of beside sqlglot's
classes, ``writer`` makes text of it.
"""
