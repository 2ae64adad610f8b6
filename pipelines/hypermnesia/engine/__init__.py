"""How stages run: shards, workers, commits, leases, progress."""
