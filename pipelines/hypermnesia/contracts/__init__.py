"""What data looks like: the schema of every table, and nothing else."""
