"""The two callbacks and the sign-in with http.server and cryptography."""

import base64
import hmac
import json
import os
import secrets
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7
from cryptography.hazmat.primitives.serialization import load_der_public_key

# What `authcli emulate service --port 8081` takes, unless the environment says otherwise.
CLIENT_ID = os.environ.get("CLIENT_ID", "authcli-client")
SECRET_KEY = os.environ.get("SECRET_KEY", "authcli-emulated-secret")
AUTH_URL = os.environ.get("AUTH_URL", "http://127.0.0.1:8081")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: the secret goes to {auth_url} alone."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)
users = {}  # by ptn_cd; yours are in a database, their keys encrypted


def wrap(key, public_key):
    rsa = load_der_public_key(base64.b64decode(public_key))
    return base64.b64encode(rsa.encrypt(key.encode(), padding.PKCS1v15())).decode()


def decrypt(payload, key):
    """AES-256-CBC with the key's characters as its bytes, the IV before the ciphertext."""
    raw = base64.b64decode(payload)
    decryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(raw[:16])).decryptor()
    padded = decryptor.update(raw[16:]) + decryptor.finalize()
    unpadder = PKCS7(128).unpadder()
    return (unpadder.update(padded) + unpadder.finalize()).decode()


def exchange_key(fields):
    key = secrets.token_hex(16)  # 16 random bytes are 32 characters
    wrapped = wrap(key, fields["public_key"])
    users[fields["ptn_cd"]] = {"key": key}
    return {"code": "0000", "message": "", "result": {"enc_partner_key": wrapped}}


def register(fields):
    user = users[fields["ptn_cd"]]
    key = user["key"]
    passcode = decrypt(fields["partner_sp"], key)
    info = json.loads(decrypt(fields["ubifill"], key)) if "ubifill" in fields else None
    # A new key may have come meanwhile, with a user of its own: this must not bring the old one back.
    user.update(passcode=passcode, info=info)
    return {"code": "0000", "message": ""}


def callback(fields):
    if fields["client_id"] != CLIENT_ID:
        raise ValueError("unknown client_id")
    return {"1": exchange_key, "2": register}[fields["used_type"]](fields)


def call(path, **fields):
    """Calls one of the service's endpoints; raises for any code but "0000"."""
    body = json.dumps({"client_id": CLIENT_ID, "secret_key": SECRET_KEY, **fields}).encode()
    headers = {"Content-type": "application/json;charset=utf-8"}
    request = urllib.request.Request(AUTH_URL + path, body, headers)
    with opener.open(request, timeout=10) as response:
        parsed = json.load(response)
    if parsed["code"] != "0000":
        raise ValueError(f"{path}: {parsed['code']} {parsed['message']}")
    return parsed["result"]


def sign_in(fields):
    token = call("/process/token", ptn_token=fields["ptn_token"])
    user = users[token["ptn_cd"]]
    ptn_sp = call("/process/authenticate", acs_token=token["acs_token"])["ptn_sp"]
    if not hmac.compare_digest(decrypt(ptn_sp, user["key"]).encode(), user["passcode"].encode()):
        raise ValueError("another passcode")
    return {"ptn_cd": token["ptn_cd"]}


# Why something is refused goes to the log alone.
ROUTES = {
    "/callback": (callback, 400, {"code": "9000", "message": "refused"}),
    "/sign-in": (sign_in, 401, {"error": "not signed in"}),
}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path not in ROUTES:
            return self.respond(404, {"error": "not found"})
        handle, status, refusal = ROUTES[self.path]
        try:
            self.respond(200, handle(json.loads(body)))
        except Exception as error:
            print(repr(error), file=sys.stderr)
            self.respond(status, refusal)

    def respond(self, status, result):
        self.send_response(status)
        self.send_header("Content-Type", "application/json;charset=utf-8")
        self.end_headers()
        self.wfile.write(json.dumps(result).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Handler)
print(f"Listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
