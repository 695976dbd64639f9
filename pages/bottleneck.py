"""What one pass costs: moving weights takes longer than multiplying, so more tokens in a pass are almost free."""

from specviz.ui import bottleneck, frame, stage

frame.enter()

bottleneck.show()
stage.warm(bottleneck.PAIR)
