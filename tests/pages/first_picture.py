"""Which heavy packages the home page imports, and where: run alone, since a process imports a package once. Prints JSON."""

import json
import sys
import threading
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from streamlit.testing.v1 import AppTest

from specviz.engine.service import Service

HEAVY = ("numpy", "pandas", "pyarrow", "torch", "transformers", "scipy")
asked, early = [], []


class Watch:
    """Finds nothing, and writes down what was looked for."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in HEAVY:
            asked.append(name)
            if "below" not in [frame.name for frame in traceback.extract_stack()]:
                early.append((name, threading.current_thread().name))


sys.meta_path.insert(0, Watch())
Service._work = lambda self: None  # what the worker imports is its own business
app = AppTest.from_file(str(Path(__file__).parent.parent.parent / "app.py"), default_timeout=60)
app.query_params["lang"] = "zh"
app.run()
assert not app.exception
json.dump({"pictures": len(app.get("bidi_component")), "asked": asked, "asked_before_the_picture_is_out": early}, sys.stdout)
