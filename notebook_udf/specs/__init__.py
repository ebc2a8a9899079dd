"""What planner and worker both know: how functions travel, and what stands where in rows."""
