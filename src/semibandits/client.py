"""Client of a service that `semibandits serve` starts: ask and tell over HTTP, with retries that are safe.

It needs httpx (``pip install httpx``) and imports nothing that computes, so that it also suits small machines.
"""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
