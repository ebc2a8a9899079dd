"""Exports a notebook's functions, with the statements that they need, as a module.

``cells`` reads statements, ``chosen`` finds the functions, ``closure`` what they need, ``declared``
their kinds and types, ``module`` and ``examples`` make the text, ``files`` writes it to disk.
``magics`` brings the cells, from a file or the running notebook.
"""
