"""The worker: its tasks, heartbeat, captured output, limits, samples and dependencies."""
