"""Runs a command on a terminal of its own and prints what it showed and how it ended, as JSON.

on-a-terminal.py COLUMNS WAIT-FOR KEYS COMMAND...: types KEYS once WAIT-FOR stands on the screen.
"""
import fcntl, json, os, pty, struct, sys, termios

columns, wait_for, keys = int(sys.argv[1]), sys.argv[2], sys.argv[3].encode().decode("unicode_escape")
pid, screen = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(sys.argv[4], sys.argv[4:])
shown = b""
typed = keys == ""
while True:
    if not typed and wait_for.encode() in shown:
        os.write(screen, keys.encode())
        typed = True
    try:
        part = os.read(screen, 65536)
    except OSError:
        break
    if not part:
        break
    shown += part
_, status = os.waitpid(pid, 0)
print(json.dumps({"shown": shown.decode(), "status": os.waitstatus_to_exitcode(status)}))
