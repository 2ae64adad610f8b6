"""The thin read API."""
