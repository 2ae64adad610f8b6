"""What is true: pure functions without I/O, clock or randomness."""
