"""A Chromium and a Chinese font for the browser tests: the system's, Debian's packages, or Playwright's own browser."""

import shutil
import subprocess
import sys

DEBIAN = ["chromium", "fonts-noto-cjk"]


def executable() -> str | None:
    """The system's browser, or None: then Playwright's own is used."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def has_chinese_font() -> bool:
    if not shutil.which("fc-list"):
        return sys.platform == "darwin"
    return bool(subprocess.run(["fc-list", ":lang=zh"], capture_output=True, text=True).stdout.strip())


def main() -> None:
    missing = [] if executable() else DEBIAN[:1]
    missing += [] if has_chinese_font() else DEBIAN[1:]
    if missing and shutil.which("apt-get"):
        as_root = [] if subprocess.run(["id", "-u"], capture_output=True, text=True).stdout.strip() == "0" else ["sudo", "-n"]
        subprocess.run([*as_root, "apt-get", "update", "-qq"], check=False)
        subprocess.run([*as_root, "apt-get", "install", "-y", "-qq", *missing], check=False, stdout=subprocess.DEVNULL)
    if not executable():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


if __name__ == "__main__":
    main()
