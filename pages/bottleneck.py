"""What one pass costs: moving weights takes longer than multiplying, so more tokens in a pass are almost free."""

from specviz.ui import bottleneck, frame, pair, stage

frame.enter()

bottleneck.show()
stage.warm(pair.chosen())
