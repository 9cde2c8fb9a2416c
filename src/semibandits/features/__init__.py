"""Features of items: what is known of an item before it is observed, and what the items tell of each other."""
