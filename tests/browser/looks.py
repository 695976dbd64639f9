"""How a page is looked at: every two of theme, language and screen meet once, in half as many looks as all of them."""

WIDE, NARROW = (1366, 768), (375, 740)  # a projector, a telephone
LOOKS = [("light", "zh", WIDE), ("dark", "en", WIDE), ("dark", "zh", NARROW), ("light", "en", NARROW)]
