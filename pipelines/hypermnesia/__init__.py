"""Hypermnesia: a distributed batch builder of long-term memory for agents."""

import os

__version__ = "0.1.0"

# numpy's threads spin for each other in products as small as a question's: on busy cores one thread is four times as
# fast. Numpy reads it when it is loaded, so here; workers take it over. Only numpy's: a model keeps its threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
