"""What speculative decoding gains by the formula: tokens a round, speed-up, and the γ that would be best."""

from __future__ import annotations

from specviz import speedup

summary = "Compute tokens a round, the speed-up over plain decoding, and the best gamma."
example = "speedup --alpha 0.8 --gamma 5 --c 0.05 --v 1.2"


def arguments(parser) -> None:
    parser.add_argument("--alpha", type=float, required=True, help="chance that a guess is accepted, given that it was reached")
    parser.add_argument("--gamma", type=int, required=True, help="guesses a round")
    parser.add_argument("--c", type=float, required=True, help="time of a draft pass / time of a target pass of one token")
    parser.add_argument(
        "--v",
        type=float,
        default=1.0,
        help="v(gamma + 1): time of the verifying pass / time of a target pass of one token (1, as in the paper); other "
        "gammas get the line through v(1) = 1 and this point",
    )
    parser.add_argument("--c-hat", type=float, help="arithmetic of a draft token / of a target token (as --c)")


def run(arguments) -> dict:
    alpha, gamma, c, v = arguments.alpha, arguments.gamma, arguments.c, arguments.v
    c_hat = c if arguments.c_hat is None else arguments.c_hat
    speedup.check(alpha=alpha, gamma=gamma, c=c, v=v, c_hat=c_hat)
    cost = speedup.linear_cost(speedup.slope_through(gamma, v))
    tokens = speedup.expected_tokens(alpha, gamma)
    speedups = speedup.curve(speedup.survival(alpha, speedup.MOST_GUESSES), c, cost)
    best = speedup.best_gamma(speedups)
    result = {
        "alpha": alpha,
        "accepted_over_proposed": speedup.accepted_over_proposed(alpha, gamma),
        "gamma": gamma,
        "c": c,
        "v": v,
        "c_hat": c_hat,
        "expected_tokens": tokens,
        "speedup": speedup.speedup(tokens, gamma, c, v),
        "operations": speedup.operations(tokens, gamma, c_hat),
        "best_gamma": best,
        "best_speedup": speedups[best],
        "searched_to": speedup.MOST_GUESSES,
    }
    if not arguments.json:
        _print(result)
    return result


def _print(r) -> None:
    other, drafting = r["accepted_over_proposed"], r["gamma"] * r["c"]
    print(f"α = {r['alpha']:g} (accepted ÷ reached)" + ("" if other is None else f", accepted ÷ proposed = {other:.3f}"))
    print(f"  tokens a round  {r['expected_tokens']:.3f}")
    print(f"  cost of a round {drafting + r['v']:.3f} passes of one token: γ·c = {drafting:.3f}, v = {r['v']:g}")
    print(f"  speed-up        {r['speedup']:.3f}×, for {r['operations']:.2f} times the arithmetic (ĉ = {r['c_hat']:g})")
    if r["best_gamma"]:
        print(f"  best γ          {r['best_gamma']}: {r['best_speedup']:.3f}× (searched from 0 to {r['searched_to']})")
    else:
        print("  best γ          0: no γ helps here, plain decoding is faster")
