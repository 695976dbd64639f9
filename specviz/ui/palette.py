"""The colours and what they mean, once for Python and CSS: p blue, q yellow, residual green, rejected red."""

THEMES = {
    "light": {
        "p": "#0072B2",
        "q": "#E69F00",
        "residual": "#009E73",
        "rejected": "#D55E00",
        "ink": "#1B1F24",
        "quiet": "#57606A",
        "paper": "#FFFFFF",
        "panel": "#F3F5F7",
        "line": "#8C959F",
    },
    "dark": {
        "p": "#58C4DD",
        "q": "#F4D345",
        "residual": "#83C167",
        "rejected": "#FC6255",
        "ink": "#ECEFF4",
        "quiet": "#A9B4C0",
        "paper": "#0E1117",
        "panel": "#1A1F29",
        "line": "#6B7685",
    },
}


def css() -> str:
    """Custom properties --p, --q, ... for a component's root, chosen by its data-theme attribute."""
    blocks = []
    for theme, colours in THEMES.items():
        values = " ".join(f"--{name}: {value};" for name, value in colours.items())
        blocks.append(f'[data-theme="{theme}"] {{ {values} }}')
    return "\n".join(blocks) + "\n"
