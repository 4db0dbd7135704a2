"""Runs a program on a pseudo-terminal and types into it.

Takes JSON as its one argument:
{"argv", "env", "cwd", "columns", "steps": [["text to wait for", "keys to type"], ...]};
prints {"status", "lines", "raw"}: the lines as they stand on the screen in the end, and all bytes.
"""

import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time
import unicodedata

ROWS = 200
PATIENCE_S = 60  # for each text that is waited for

CONTROL = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b[=>78]|\x1b\][^\x07]*\x07")


class Screen:
    """What a terminal shows of the characters, cursor movements and erasures that it is sent."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = [[]]
        self.row = 0
        self.column = 0

    def feed(self, text):
        at = 0
        while at < len(text):
            match = CONTROL.match(text, at)
            if match:
                self.control(match.group(1) or "", match.group(2) or "")
                at = match.end()
            else:
                self.put(text[at])
                at += 1

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.move(self.row + 1)
        elif char == "\b":
            self.column = max(0, self.column - 1)
        elif char >= " ":
            width = 2 if unicodedata.east_asian_width(char) in "WF" else 1
            if self.column + width > self.columns:
                self.column = 0
                self.move(self.row + 1)
            cells = self.rows[self.row]
            while len(cells) < self.column + width:
                cells.append(" ")
            cells[self.column] = char
            if width == 2:
                cells[self.column + 1] = ""
            self.column += width

    def move(self, row):
        self.row = max(0, row)
        while len(self.rows) <= self.row:
            self.rows.append([])

    def control(self, digits, letter):
        count = int(digits) if digits.isdigit() else 1
        cells = self.rows[self.row]
        if letter in "AB":
            self.move(self.row + (count if letter == "B" else -count))
        elif letter in "CD":
            self.column += count if letter == "C" else -count
        elif letter == "G":
            self.column = count - 1
        elif letter == "K":
            del cells[0 if digits == "2" else self.column :]
        elif letter == "J":
            del cells[self.column :]
            del self.rows[self.row + 1 :]

    def lines(self):
        shown = ["".join(cells).rstrip() for cells in self.rows]
        while shown and not shown[-1]:
            shown.pop()
        return shown


def read(master, seconds):
    ready, _, _ = select.select([master], [], [], seconds)
    if not ready:
        return None
    try:
        return os.read(master, 65536)
    except OSError:  # Linux says EIO once the other end is closed
        return b""


def main():
    order = json.loads(sys.argv[1])
    child, master = pty.fork()
    if child == 0:
        size = struct.pack("HHHH", ROWS, order["columns"], 0, 0)
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        os.chdir(order["cwd"])
        os.execve(order["argv"][0], order["argv"], order["env"])
    raw = b""
    seen = 0  # what was waited for before is not waited for again
    deadline = time.monotonic() + PATIENCE_S
    steps = list(order["steps"])
    while True:
        if steps:
            wanted, keys = steps[0]
            plain = CONTROL.sub("", raw.decode("utf-8", "ignore"))
            found = plain.find(wanted, seen)
            if found >= 0:
                seen = found + len(wanted)
                steps.pop(0)
                deadline = time.monotonic() + PATIENCE_S
                time.sleep(0.05)  # until the question takes keys
                os.write(master, keys.encode())
        got = read(master, 0.05)
        if got == b"":
            break
        raw += got or b""
        if time.monotonic() > deadline:
            os.kill(child, 9)
            break
    _, status = os.waitpid(child, 0)
    text = raw.decode("utf-8", "replace")
    screen = Screen(order["columns"])
    screen.feed(text)
    waiting = [wanted for wanted, _ in steps]
    json.dump(
        {
            "status": os.waitstatus_to_exitcode(status),
            "lines": screen.lines(),
            "raw": text,
            "waiting": waiting,
        },
        sys.stdout,
    )


main()
