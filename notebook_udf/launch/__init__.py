"""What a Spark is started with: Java, the machine, confs, packed environments, the warehouse."""
