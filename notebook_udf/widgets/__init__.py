"""What a session looks like on a screen: HTML with a plain-text twin, from data alone.

Nothing in here talks to Spark, starts a thread or displays anything; ``magics`` does. Text that
comes from a worker, a plan or a log is escaped, never parsed.
"""
