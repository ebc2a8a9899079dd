"""The worker process: its tasks, its heartbeat, what it captures, limits and samples."""
