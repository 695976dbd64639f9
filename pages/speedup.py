"""How much faster: the sum that is always true, the formula, the curves; then the loaded pair measured on this machine."""

from specviz.ui import clock, frame, measured, speedup

frame.enter()

speedup.show()
measured.section()
clock.section()
