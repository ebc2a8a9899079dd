"""Looking at a job while it runs, from another process on its machine; see ``attached_job``."""
