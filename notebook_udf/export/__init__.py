"""From a notebook's cells to a module: what of them functions need, written down to be imported.

``cells`` reads statements, ``chosen`` finds the functions, ``closure`` what they need, ``declared``
what they are, ``module`` and ``examples`` write the text, ``files`` puts it on disk. Where the
cells come from (a file, the running notebook) is the business of ``magics``.
"""
