"""The worker process: its tasks, heartbeat, captured output, limits, samples and dependencies."""
