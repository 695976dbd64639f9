"""A model hub of thirty lines on this machine: enough of its protocol for huggingface_hub to fetch from it."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(BaseHTTPRequestHandler):
    """`models`: {id: folder}. An id that begins with gated/ asks for a token; slow: seconds before every 64 KiB."""

    models: dict[str, Path] = {}  # noqa: RUF012  set by `serve`
    slow = 0.0
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path.startswith("/api/models/"):
            return self._tell(self.path.removeprefix("/api/models/").partition("?")[0])
        self._send(body=True)

    def do_HEAD(self):
        self._send(body=False)

    def _tell(self, id):
        if id not in self.models:
            return self._refuse(404, "RepoNotFound")
        files = [{"rfilename": f.name, "size": f.stat().st_size} for f in sorted(self.models[id].iterdir())]
        told = json.dumps({"id": id, "modelId": id, "sha": COMMIT, "siblings": files}).encode()
        self._head(200, {"Content-Length": len(told), "Content-Type": "application/json"})
        self.wfile.write(told)

    def _send(self, body):
        id, _, rest = self.path.lstrip("/").partition("/resolve/")
        if id not in self.models:
            return self._refuse(404, "RepoNotFound")
        if id.startswith("gated/") and "Authorization" not in self.headers:
            return self._refuse(403, "GatedRepo")
        whole = (self.models[id] / rest.partition("/")[2]).read_bytes()
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
        self.server.starts.append((rest.partition("/")[2], start)) if body else None
        about = {"X-Repo-Commit": COMMIT, "ETag": f'"{hashlib.sha256(whole).hexdigest()}"', "Accept-Ranges": "bytes"}
        if start:
            about["Content-Range"] = f"bytes {start}-{len(whole) - 1}/{len(whole)}"
        self._head(206 if start else 200, {**about, "Content-Length": len(whole) - start})
        for at in range(start, len(whole) if body else 0, 1 << 16):
            time.sleep(self.slow)
            self.wfile.write(whole[at : at + (1 << 16)])

    def _refuse(self, status, code):
        self._head(status, {"X-Error-Code": code, "Content-Length": 0})

    def _head(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def log_message(self, *args):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):  # whoever cancels hangs up
            self.close_connection = True


@contextmanager
def serve(models: dict[str, Path], slow: float = 0.0):
    """A running hub; .url, and .starts: (file, first byte) of every download."""
    handler = type("Here", (Hub,), {"models": models, "slow": slow})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.starts, server.url = [], f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
