"""A callback endpoint with http.server and cryptography.

Run as: callback_application.py PORT [FAULT], where FAULT is oaep, urlsafe or hex-key.
"""

import base64
import json
import secrets
import string
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

CLIENT_ID = "my-shop"
FAULT = sys.argv[2] if len(sys.argv) > 2 else ""
users = {}


def new_key():
    if FAULT == "hex-key":
        return secrets.token_hex(32)
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(32))


def wrap(key, public_key):
    scheme = padding.PKCS1v15()
    if FAULT == "oaep":
        scheme = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), label=None)
    ciphertext = public_key.encrypt(key.encode(), scheme)
    encode = base64.urlsafe_b64encode if FAULT == "urlsafe" else base64.b64encode
    return encode(ciphertext).decode()


def decrypt(payload, key):
    raw = base64.b64decode(payload)
    decryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(raw[:16])).decryptor()
    padded = decryptor.update(raw[16:]) + decryptor.finalize()
    unpadder = PKCS7(128).unpadder()
    return (unpadder.update(padded) + unpadder.finalize()).decode()


def exchange_key(fields):
    public_key = serialization.load_der_public_key(base64.b64decode(fields["public_key"]))
    key = new_key()
    wrapped = wrap(key, public_key)
    users[fields["ptn_cd"]] = {"key": key}
    return {"code": "0000", "message": "", "result": {"enc_partner_key": wrapped}}


def register(fields):
    user = users[fields["ptn_cd"]]
    user["passcode"] = decrypt(fields["partner_sp"], user["key"])
    if "ubifill" in fields:
        user["info"] = json.loads(decrypt(fields["ubifill"], user["key"]))
    return {"code": "0000", "message": ""}


def answer(body):
    fields = json.loads(body)
    if fields["client_id"] != CLIENT_ID:
        raise ValueError("unknown client_id")
    return {"1": exchange_key, "2": register}[fields["used_type"]](fields)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            status, result = 200, answer(body)
        except Exception as error:
            status, result = 400, {"code": "9999", "message": type(error).__name__}
        self.send_response(status)
        self.send_header("Content-Type", "application/json;charset=utf-8")
        self.end_headers()
        self.wfile.write(json.dumps(result).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(f"Listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
