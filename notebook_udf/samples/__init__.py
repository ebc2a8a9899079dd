"""What the tutorials try functions on: flights, a service that is slow, rows that arrive in time.

Nothing here is needed to use functions, and nothing else of the package imports it.
"""

from notebook_udf.samples.arrivals import Arrivals
from notebook_udf.samples.flights import load_flights
from notebook_udf.samples.sun import SunService

__all__ = ["Arrivals", "SunService", "load_flights"]
