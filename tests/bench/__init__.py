"""Benchmarks: `make bench`. Each prints its figures and ends with one JSON line of them."""
