"""Client of a service that `semibandits serve` starts: ask and tell over HTTP, with retries that are safe.

It needs httpx (``pip install httpx``) and imports nothing that computes, so that it also suits small machines.
"""
