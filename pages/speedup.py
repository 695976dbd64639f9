"""How much faster: the sum that is always true, the formula, the curves, and the published measurements beside it."""

from specviz.ui import frame, speedup

frame.enter()

speedup.show()
# measured.section() stands here: the same figures of the loaded pair, measured on this machine.
