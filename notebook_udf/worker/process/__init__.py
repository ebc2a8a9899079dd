"""Process functions: chains of them over a partition, and the records between them."""
