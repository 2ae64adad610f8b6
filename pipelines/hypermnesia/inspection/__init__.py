"""Looking at what was built: `digest`, `status`, `show`, `trace`. Reads only."""
