"""The app as a process of its own, on a free port."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


class Server:
    def __init__(self, log: Path):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        self.started = time.monotonic()
        with open(log, "w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true",
                 "--server.port", str(self.port), "--server.address", "127.0.0.1"],
                cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
        self._wait()

    def _wait(self):
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1).read()
                return
            except OSError:
                assert self.process.poll() is None, self.log.read_text()
                assert time.monotonic() - self.started < 60, self.log.read_text()
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
