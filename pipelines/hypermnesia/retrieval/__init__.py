"""The read path: from a question to the rows that answer it, each with where it was said."""
