"""The frame around every page: `streamlit run app.py`."""

from specviz.ui import frame

frame.run()
