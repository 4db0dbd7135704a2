"""Signs users in on request, right or with a mistake that people make.

Reads orders, a line of JSON each, and answers each with a line. An order names the mistake, the
application that makes it, which keeps its state from one sign-in to the next, and what a sign-in is
told: {"id", "app", "mistake", "input"}.
"""

import contextlib
import io
import json
import sys
import threading
from types import SimpleNamespace

from decisions import CODES, PASSCODES, WHO
from handling import OUTPUT, REQUESTS, STATE
from responses import OUTAGES, UNDECRYPTABLE
from right import SignIn

DECISIONS = [CODES, PASSCODES, UNDECRYPTABLE, WHO, OUTAGES, STATE, REQUESTS, OUTPUT]
MISTAKES = {"none": {}}
for decision in DECISIONS:
    MISTAKES.update(decision)

apps = {}
apps_lock = threading.Lock()
writing = threading.Lock()
output = threading.local()


class PerThread(io.TextIOBase):
    """What each sign-in prints is its own."""

    def write(self, text):
        output.text.write(text)
        return len(text)


def application(order):
    with apps_lock:
        if order["app"] not in apps:
            kind = type("Mistaken", (SignIn,), MISTAKES[order["mistake"]])
            apps[order["app"]] = kind()
        return apps[order["app"]]


def handle(order, results):
    output.text = io.StringIO()
    given = SimpleNamespace(**order["input"])
    try:
        application(order).sign_in(given)
        ok = True
    except Exception as error:
        ok = False
        print(f"refused: {error!r}")
    line = json.dumps({"id": order["id"], "ok": ok, "shown": output.text.getvalue()})
    with writing:
        results.write(line + "\n")
        results.flush()


def main():
    results = sys.stdout
    with contextlib.redirect_stdout(PerThread()):
        for line in sys.stdin:
            threading.Thread(target=handle, args=(json.loads(line), results)).start()


main()
