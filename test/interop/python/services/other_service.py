"""The two endpoints of a service with ways of its own: AES-256-ECB in hexadecimal, expire_dt of Seoul,
its own codes and messages, a field more, names of headers in capitals. Prints its address."""
import json
import secrets
import sys
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

CLIENT, SECRET, USER, KEY, PASSCODE = sys.argv[1:6]
PTN_TOKEN = sys.argv[6]
SEOUL = timezone(timedelta(hours=9))
issued = {}


def encrypt(text):
    padder = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(KEY.encode()), modes.ECB()).encryptor()
    padded = padder.update(text.encode()) + padder.finalize()
    return (encryptor.update(padded) + encryptor.finalize()).hex()


def refuse(code, message):
    return {"message": message, "code": code, "result": None}


def token(call):
    if call.get("ptn_token") != PTN_TOKEN:
        return refuse("4001", "unknown ptn_token")
    acs_token = secrets.token_urlsafe(24)
    issued[acs_token] = False
    expire = datetime.now(SEOUL) + timedelta(minutes=10)
    result = {
        "acs_token": acs_token,
        "expire_dt": expire.strftime("%Y%m%d%H%M%S"),
        "ptn_cd": USER,
        "grade": "B",
    }
    return {"message": "SUCCESS", "code": "0000", "result": result}


def authenticate(call):
    used = issued.get(call.get("acs_token"))
    if used is None:
        return refuse("4101", "unknown acs_token")
    if used:
        return refuse("4102", "acs_token was used")
    issued[call["acs_token"]] = True
    return {"message": "SUCCESS", "code": "0000", "result": {"ptn_sp": encrypt(PASSCODE)}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if (call.get("client_id"), call.get("secret_key")) != (CLIENT, SECRET):
            response = refuse("1001", "wrong client")
        else:
            response = (token if self.path.endswith("/token") else authenticate)(call)
        body = json.dumps(response).encode()
        self.send_response(200)
        self.send_header("CONTENT-TYPE", "application/json;charset=UTF-8")
        self.send_header("X-TRACE", "7")
        self.send_header("CONTENT-LENGTH", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
