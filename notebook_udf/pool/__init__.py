"""The workers: the daemon Spark starts, and the kernel's view of them."""
