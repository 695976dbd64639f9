"""The acceptance rule: drag it, throw at it, prove it; and the court that tests it."""

from specviz.ui import court, frame, i18n, play, widgets

frame.enter()

if widgets.choice(i18n.t("rule.view"), ("play", "court"), "view", lambda code: i18n.t(f"rule.view_{code}")) == "court":
    court.show()
else:
    play.show()
