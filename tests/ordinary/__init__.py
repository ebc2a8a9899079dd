"""Functions as they are written every day: what has to run in the JVM, and answer as here."""
