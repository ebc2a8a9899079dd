"""Objects that are known part by part: records, and what stands in classes and modules."""
