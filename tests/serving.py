"""A service in a thread of the tests."""

import socket
import threading
import time
from contextlib import contextmanager

import uvicorn

from semibandits_server.service.app import create_app
from semibandits_server.service.settings import Settings

TOKEN = "a-token-for-tests-0123456789"


@contextmanager
def serving(url, *, token=TOKEN, port=0, **settings):
    """The address of a service of the learners in a database, which must exist; nothing is compiled for them."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    app = create_app(url, settings=Settings(token=token, **settings))
    app.state.catalogue._compile = lambda name: None
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
