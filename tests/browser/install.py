"""A Chromium and a Chinese font for the browser tests: the system's, Debian's packages, or Playwright's own browser."""

import shutil
import subprocess
import sys

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first has no window to draw
DEBIAN = BROWSERS[:2]  # packages by the same names
FONT = "fonts-noto-cjk"


def executable() -> str | None:
    """The system's browser, or None: then Playwright's own is used."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def has_chinese_font() -> bool:
    if not shutil.which("fc-list"):
        return sys.platform == "darwin"
    return bool(subprocess.run(["fc-list", ":lang=zh"], capture_output=True, text=True).stdout.strip())


def main() -> None:
    apt = shutil.which("apt-get")
    if apt and not (executable() and has_chinese_font()):
        _apt("update")
    if apt and not has_chinese_font():
        _apt("install", "-y", FONT)
    for package in DEBIAN if apt else ():
        if not executable():
            _apt("install", "-y", package)
    if not executable():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


def _apt(*words: str) -> None:
    as_root = [] if subprocess.run(["id", "-u"], capture_output=True, text=True).stdout.strip() == "0" else ["sudo", "-n"]
    subprocess.run([*as_root, "apt-get", "-qq", *words], check=False, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
