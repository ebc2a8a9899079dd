"""What Spark's ``transformWithState`` runs of ours, a micro-batch at a time."""
