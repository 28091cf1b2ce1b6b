"""What the live window costs: python -m ui.paint_cost [--frames N].

Owns the measurement. Feeds a scripted talk frame by frame and reports the milliseconds of processor time that one beat
of the bridge and the painting it causes take in the Qt thread, visible and hidden. The limit is 3 ms at 30 beats a
second. Measured on a core of an EPYC that others used too: 1.5 to 1.9 ms a beat on average, 2.7 to 3.1 ms for one that
brings a new frame, 0.02 ms hidden.
"""

from __future__ import annotations

import argparse
import os
import time

from PySide6.QtWidgets import QApplication

from app.telemetry import percentiles
from ui import scripted
from ui.app import Window, make_window
from ui.scripted_talk import talking

BEATS_PER_FRAME = 2  # 30 Hz against 12.5 Hz: more than every other beat brings nothing new


def measure(application: QApplication, window: Window, conversation: scripted.ScriptedConversation, count: int) -> None:
    """Feed `count` frames and print the cost of beats with a new frame and of beats without."""
    plan = [("graph", 800), ("eager", count // 2), ("graph", count - count // 2)]
    records = scripted.frames(plan, gaps_at=tuple(range(900, 900 + count, 97)))
    for record in records[:800]:
        conversation.history.append(record)
    window.bridge.tick()
    application.processEvents()
    fresh, idle = [], []
    for record in records[800:]:
        conversation.history.append(record)
        fresh.append(_beat(application, window))
        idle += [_beat(application, window) for _ in range(BEATS_PER_FRAME - 1)]
    for name, costs in (("with a new frame", fresh), ("without", idle)):
        best, half, most = percentiles(costs, (5, 50, 95))
        print(f"  {name:>17}: {best:.2f} ms undisturbed, median {half:.2f} ms, 95 of 100 within {most:.2f} ms")
    total = 12.5 * percentiles(fresh, (50,))[0] + 17.5 * percentiles(idle, (50,))[0]
    print(f"  {'per beat':>17}: {total / 30:.2f} ms on average at 30 Hz, {total / 10:.1f} % of a core")


def _beat(application: QApplication, window: Window) -> float:
    began = time.thread_time()
    window.bridge.tick()
    application.processEvents()
    return 1000 * (time.thread_time() - began)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what the live window costs in the Qt thread.")
    parser.add_argument("--frames", type=int, default=300)
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication([])
    conversation = scripted.ScriptedConversation()
    window = make_window(application, conversation, scripted.make_ports())
    window.main.show()
    conversation.say(*talking(scripted.model_info(), "graph"))
    window.bridge.tick()
    application.processEvents()
    print(f"Visible, {window.main.width()} x {window.main.height()}:")
    measure(application, window, conversation, options.frames)
    window.main.hide()
    print("Hidden:")
    measure(application, window, conversation, options.frames)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
