"""What JupyterLab's side panel, status bar and cells are told of the kernel, and ask of it.

One connection for all browsers that show the kernel: ``line`` brings messages, ``news`` says what
is sent, ``facts``, ``queries`` and ``cells`` know it, ``orders`` does what is asked. It starts with
``%load_ext`` and costs nothing while nobody listens.
"""
