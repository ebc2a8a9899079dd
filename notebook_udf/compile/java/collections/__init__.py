"""Lists, dicts, sets and Counters: what is made, changed and looked up in them."""
