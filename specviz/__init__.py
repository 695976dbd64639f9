"""specviz teaches speculative decoding by running it.

A small draft model guesses a few tokens, the large target model checks them all in one pass, and one rule decides
which stay, so that the text is distributed exactly as the target alone would write it. This package holds the
mathematics, the engine and the pictures; `app.py` and `pages/` put them on screen.

p         the target model's distribution: what we want
q         the draft model's distribution: what we guess from
γ gamma   tokens drafted in one round
β beta    Σ min(p, q) = 1 − TV(p, q) at one position
α alpha   the chance that a draft token is accepted, given that it was reached: the mean of β over the places reached
c         time of one draft forward ÷ time of one target forward of one token
v(k)      time of a target forward of k tokens ÷ that of one token
round     γ guesses, one verification, one fix
fix       the one token the target adds: from the residual after a rejection, or the bonus after full acceptance
residual  norm(max(0, p − q))
"""
