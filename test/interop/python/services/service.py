"""The two endpoints of {auth_url} with http.server and cryptography.

Run as: service.py [VARIANT], where VARIANT is one of those below, right or wrong; it prints its URL.
`service.py --issue` prints a new ptn_token and ends.
"""

import base64
import gzip
import hmac
import json
import os
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

VARIANT = sys.argv[1] if len(sys.argv) > 1 else ""
CLIENT_ID = os.environ["SERVICE_CLIENT_ID"]
SECRET_KEY = os.environ["SERVICE_SECRET_KEY"]
USER = {
    "ptn_cd": os.environ["SERVICE_PTN_CD"],
    "key": os.environ["SERVICE_KEY"],
    "passcode": os.environ["SERVICE_PASSCODE"],
}
LIFETIME = 600
TOKENS = {}
LOCK = threading.Lock()


class Refused(Exception):
    def __init__(self, code, message, status=200):
        super().__init__(message)
        self.code, self.status = code, status


def seal(text):
    return hmac.new(SECRET_KEY.encode(), text.encode(), "sha256").hexdigest()


def issue():
    nonce = f"{CLIENT_ID}:{USER['ptn_cd']}.{secrets.token_hex(8)}"
    return f"{nonce}.{seal(nonce)}"


def same(left, right):
    return isinstance(left, str) and hmac.compare_digest(left.encode(), right.encode())


def is_secret(sent):
    if VARIANT == "casefold":
        return isinstance(sent, str) and sent.casefold() == SECRET_KEY.casefold()
    if VARIANT == "zip":
        return isinstance(sent, str) and all(a == b for a, b in zip(sent, SECRET_KEY))
    if VARIANT == "starts-with":
        return isinstance(sent, str) and sent.startswith(SECRET_KEY)
    if VARIANT == "if-given":
        return not sent or same(sent, SECRET_KEY)
    if VARIANT == "crashes":
        return hmac.compare_digest(sent.encode(), SECRET_KEY.encode())
    if VARIANT == "trims":
        return isinstance(sent, str) and same(sent.strip(), SECRET_KEY)
    if VARIANT == "any-type":
        return not isinstance(sent, str) and sent is not None or same(sent, SECRET_KEY)
    return same(sent, SECRET_KEY)


def check_client(fields, headers, path):
    sent = fields.get("secret_key")
    if VARIANT == "api-key":
        sent = headers.get("X-Api-Key") or sent
    if VARIANT == "header":
        sent = sent or headers.get("Secret-Key")
    if VARIANT == "unchecked" and path.endswith("/authenticate"):
        return
    is_client = same(fields.get("client_id"), CLIENT_ID) or VARIANT == "any-client"
    # Both are judged, so that "crashes" meets every type.
    if not is_secret(sent) or not is_client:
        if VARIANT == "echoes":
            raise Refused("401", f"not accepted: {json.dumps(fields)}")
        raise Refused("9401", "client_id or secret_key", 401 if VARIANT == "statuses" else 200)


def is_ptn_token(token):
    if not isinstance(token, str) or token.count(".") != 2:
        return False
    nonce, _, mac = token.rpartition(".")
    if not nonce.startswith(f"{CLIENT_ID}:") and VARIANT != "unbound":
        return False
    if VARIANT == "short-mac":
        return same(mac[:32], seal(nonce)[:32])
    return same(mac, seal(nonce))


def token(fields):
    ptn_token = fields.get("ptn_token")
    is_own = VARIANT == "one-table" and ptn_token in TOKENS
    if not is_ptn_token(ptn_token) and not is_own:
        raise Refused("9402", "ptn_token", 400 if VARIANT == "statuses" else 200)
    if VARIANT == "ptn-once":
        with LOCK:
            if TOKENS.get(ptn_token):
                raise Refused("9405", "ptn_token was used")
            TOKENS[ptn_token] = True
    acs_token = secrets.token_urlsafe(24)
    expires = time.time() + LIFETIME
    TOKENS[acs_token] = {"expires": expires, "used": False}
    return {
        "acs_token": acs_token,
        "expire_dt": time.strftime("%Y%m%d%H%M%S", time.gmtime(expires)),
        "ptn_cd": USER["ptn_cd"],
    }


def find(acs_token):
    if VARIANT == "like":
        return next((TOKENS[key] for key in TOKENS if key.startswith(acs_token or "")), None)
    if VARIANT == "one-table" and is_ptn_token(acs_token):
        return {"expires": time.time() + 1, "used": False}
    return TOKENS.get(acs_token) if isinstance(acs_token, str) else None


def redeem(acs_token):
    found = find(acs_token)
    if not isinstance(found, dict) or found["used"] or found["expires"] < time.time():
        raise Refused("9403", "acs_token", 403 if VARIANT == "statuses" else 200)
    if VARIANT == "race":
        time.sleep(0.5)
    if VARIANT not in ("reusable", "like"):
        found["used"] = True


def authenticate(fields):
    if VARIANT == "race":
        redeem(fields.get("acs_token"))
    else:
        with LOCK:
            redeem(fields.get("acs_token"))
    result = {"ptn_sp": encrypt(USER["passcode"])}
    return {**result, **USER} if VARIANT == "whole-user" else result


def encrypt(text):
    iv = secrets.token_bytes(16)
    padder = PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(USER["key"].encode()), modes.CBC(iv)).encryptor()
    padded = padder.update(text.encode()) + padder.finalize()
    return base64.b64encode(iv + encryptor.update(padded) + encryptor.finalize()).decode()


def respond(path, fields, headers):
    operation = {"/process/token": token, "/process/authenticate": authenticate}.get(path)
    if operation is None:
        raise Refused("9404", "no such endpoint", 404)
    if not isinstance(fields, dict):
        raise Refused("9400", "not an object")
    check_client(fields, headers, path)
    result = operation(fields)
    more = {"time": time.time(), "node": "a1"} if VARIANT == "extra-fields" else {}
    return {"code": "0000", "message": "성공", "result": {**result, **more}, **more}


class Handler(BaseHTTPRequestHandler):
    protocol_version = (
        "HTTP/1.1" if VARIANT in ("keep-alive", "chunked", "gzip", "one-thread") else "HTTP/1.0"
    )

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status = 200
        try:
            fields = json.loads(body)
            response = respond(self.path.partition("?")[0], fields, self.headers)
        except Refused as error:
            if VARIANT == "hangs-up":
                self.close_connection = True
                return
            status = error.status
            response = {"code": error.code, "message": str(error)}
            if VARIANT == "statuses":
                response = {**response, "result": None}
        except json.JSONDecodeError:
            response = {"code": "9400", "message": "not JSON"}
        self.respond(status, json.dumps(response, ensure_ascii=False).encode())

    def respond(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        if VARIANT == "debug-header":
            self.send_header("X-Debug", base64.b64encode(USER["key"].encode()).decode())
        if VARIANT == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in (body[:7], body[7:]):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
            return
        if VARIANT == "gzip":
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        # HTTP/1.0 ends the body with the connection.
        if self.protocol_version == "HTTP/1.1":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if VARIANT == "--issue":
    print(issue())
    sys.exit()
server_class = HTTPServer if VARIANT == "one-thread" else ThreadingHTTPServer
server = server_class(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
