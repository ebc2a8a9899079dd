"""What JupyterLab's side panel, status bar and cells are told of the kernel, and ask of it.

One connection for all browsers that show the kernel: ``comm`` brings messages, ``publisher`` says
what is sent, ``snapshot``, ``query_list`` and ``registered_cells`` know it, ``news`` has the types
of it, ``browser_commands`` does what is asked. It starts with ``%load_ext`` and costs nothing while
nobody listens.
"""
