"""The kernel's side of the JupyterLab extension: the side panel, the status bar, the cells.

All browsers that show the kernel share one connection: ``comm`` has its messages, ``publisher``
sends what has changed, ``snapshot``, ``query_list`` and ``registered_cells`` read it,
``panel_data`` has its types, ``browser_commands`` carries out requests. It starts with
``%load_ext`` and costs nothing while no browser listens.
"""
