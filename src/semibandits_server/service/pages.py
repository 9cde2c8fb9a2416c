"""Pages and their files, all read at the start and served from this process."""

from __future__ import annotations

import hashlib
import mimetypes
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from semibandits_server.service.answers import NO_PATH, Refusal
from semibandits_server.service.page import page_files

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Content-Security-Policy of the pages."""
SWAGGER_PACKAGE: Final = "fastapi_swagger"
SWAGGER_FILES: Final = ("swagger-ui-bundle.js", "swagger-ui.css")


def page_routes() -> APIRouter:
    """The live page, the page of the OpenAPI document, and the files of both."""
    router = APIRouter(include_in_schema=False)
    folder = resources.files("semibandits_server.service") / "assets"
    files = page_files() | {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.is_file()}
    spec = find_spec(SWAGGER_PACKAGE)
    if spec is not None and spec.origin is not None:
        swagger = Path(spec.origin).parent / "resources"
        files |= {name: (swagger / name).read_bytes() for name in SWAGGER_FILES}

    @router.get("/")
    def live_page(request: Request) -> Response:
        return _answer(request, "index.html", files["index.html"])

    @router.get("/docs")
    def api_page(request: Request) -> Response:
        return _answer(request, "api.html", files["api.html"])

    @router.get("/static/{name}")
    def file(name: str, request: Request) -> Response:
        if name not in files or name.endswith(".html"):
            raise Refusal(404, "NotFound", NO_PATH)
        return _answer(request, name, files[name])

    return router


def _answer(request: Request, name: str, content: bytes) -> Response:
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Content-Security-Policy": POLICY}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Response(content, headers=headers, media_type=kind)
