"""One function in one task: instance, arguments, statistics, failures and quarantine."""
