"""The worker processes: the daemon Spark starts, and the kernel's view of them."""
