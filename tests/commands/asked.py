"""How the tests ask the command line for a text."""

import os
import re
import subprocess
import sys


def words(pair_folder, *more):
    return [
        "generate",
        "--target",
        str(pair_folder / "target"),
        "--draft",
        str(pair_folder / "draft"),
        "--device",
        "cpu",
        *more,
    ]


CHINESE = re.compile("[\u4e00-\u9fff]")


def shell(line, **environment):
    """What a line of a shell does with P as the command line: (exit status of P, stdout as bytes, stderr)."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # it would hide late faults
    line = line.replace("P", f"{sys.executable} -m specviz", 1) + "; exit ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, env={**clean, "LC_ALL": "C.UTF-8", **environment})
    return done.returncode, done.stdout, done.stderr.decode()
