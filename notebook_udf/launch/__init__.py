"""Finding Java, starting Spark quietly, or adopting a Spark that runs already."""
