"""The visible forms of a session: cards, tables, runs and panels.

Static forms (``card``, ``live``, ``rows``) are HTML with a plain text, made from data alone. Live
ones are panels: one anywidget class per job, whose script is built from ``extension``, one live
instance of each, replaced by its static form when it ends. ``shown`` maps data to panels. Text that
comes from a worker, a plan or a log is escaped, never parsed.
"""
