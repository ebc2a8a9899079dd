"""The grammar of Spark's SQL: parses text to a tree and writes a tree as text.

``dialect`` is the door; nothing else knows the grammar. ``tokens`` is the lexer; ``expressions``,
``relations``, ``queries`` and ``statements`` parse by the rules of Spark's own grammar; ``nodes``
has the node classes beside sqlglot's; ``writer`` writes text.
"""
