"""A callback endpoint that decrypts in the way named by its argument, and reports the error of the library."""
import base64
import json
import secrets
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.asymmetric import padding as rsa_padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import load_der_public_key

keys = {}


def unpadded(key, mode, data):
    decryptor = Cipher(algorithms.AES(key), mode).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    plain = decryptor.update(data) + decryptor.finalize()
    return unpadder.update(plain) + unpadder.finalize()


def cut_by_last_byte(key, raw):
    """Wrong padding may leave nothing, and noise becomes text."""
    decryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(raw[:16])).decryptor()
    plain = decryptor.update(raw[16:]) + decryptor.finalize()
    return plain[: -plain[-1]].decode(errors="replace").encode()


def with_iv_kept(key, raw):
    """The block in front of the text is noise, which becomes text."""
    return unpadded(key.encode(), modes.CBC(bytes(16)), raw).decode(errors="replace").encode()


readings = {
    "ecb": lambda key, raw: unpadded(key.encode(), modes.ECB(), raw),
    "zero-iv": lambda key, raw: unpadded(key.encode(), modes.CBC(bytes(16)), raw),
    "gcm": lambda key, raw: AESGCM(key.encode()).decrypt(raw[:12], raw[12:], None),
    "key-128": lambda key, raw: unpadded(key.encode()[:16], modes.CBC(raw[:16]), raw[16:]),
    "hex-key": lambda key, raw: unpadded(bytes.fromhex(key), modes.CBC(raw[:16]), raw[16:]),
    "lower-key": lambda key, raw: unpadded(key.lower().encode(), modes.CBC(raw[:16]), raw[16:]),
    "unchecked-padding": cut_by_last_byte,
    "iv-kept": with_iv_kept,
}


class Callback(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            response = {"code": "0000", "message": "", **self.handle_callback(body)}
        except Exception as error:
            response = {"code": "9999", "message": f"{type(error).__module__}.{type(error).__name__}: {error}"}
        text = json.dumps(response).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def handle_callback(self, body):
        if body["used_type"] == "1":
            key = keys[body["ptn_cd"]] = secrets.token_hex(16).upper()
            public_key = load_der_public_key(base64.b64decode(body["public_key"]))
            wrapped = public_key.encrypt(key.encode(), rsa_padding.PKCS1v15())
            return {"result": {"enc_partner_key": base64.b64encode(wrapped).decode()}}
        for field in ("partner_sp", "ubifill"):
            if field in body:
                raw = base64.b64decode(body[field])
                readings[sys.argv[1]](keys[body["ptn_cd"]], raw).decode()
        return {}

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Callback)
print(server.server_address[1], flush=True)
server.serve_forever()
