"""Hypermnesia: a distributed batch builder of long-term memory for agents."""

__version__ = "0.1.0"
