"""A service that departs from the interface where it can: used_type as a number, public_key of 3072 bits in PEM, callbacks
with a field and a header more and no charset, AES-256-CBC in hexadecimal, user information as a form with names of its own,
expire_dt of Seoul, its own codes. Prints its address; POST /sign-up with a user and its callback_url signs the user up there."""
import json
import os
import secrets
import sys
import urllib.parse
import urllib.request
from base64 import b64decode
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import padding, serialization
from cryptography.hazmat.primitives.asymmetric import padding as rsa_padding
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

CLIENT, SECRET = sys.argv[1:3]
SEOUL = timezone(timedelta(hours=9))
pair = rsa.generate_private_key(65537, 3072)
spki = serialization.PublicFormat.SubjectPublicKeyInfo
PEM = pair.public_key().public_bytes(serialization.Encoding.PEM, spki).decode()
users, issued = {}, {}


def encrypt(text, key):
    iv = os.urandom(16)
    padder = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(iv)).encryptor()
    padded = padder.update(text.encode()) + padder.finalize()
    return (iv + encryptor.update(padded) + encryptor.finalize()).hex()


def post(url, fields):
    headers = {"Content-Type": "application/json", "X-Api-Key": "of-the-service"}
    body = json.dumps({"grade": "gold", "client_id": CLIENT, **fields}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as response:
        return json.load(response)


def sign_up(call):
    url, ptn_cd = call["callback_url"], call["ptn_cd"]
    first = post(url, {"public_key": PEM, "ptn_cd": ptn_cd, "used_type": 1})
    if first["code"] != "0000":
        return
    key = pair.decrypt(b64decode(first["result"]["enc_partner_key"]), rsa_padding.PKCS1v15())
    users[ptn_cd] = {"key": key.decode(), "passcode": call["super_passcode"]}
    info = {"hp": call["phone"], "member_no": ptn_cd, "nm": call["name"], "eml": call["email"]}
    payloads = {"ubifill": urllib.parse.urlencode(info), "partner_sp": call["super_passcode"]}
    sealed = {name: encrypt(text, key.decode()) for name, text in payloads.items()}
    post(url, {"used_type": 2, **sealed, "ptn_cd": ptn_cd})


def refuse(code, message):
    return {"message": message, "code": code, "result": None}


def token(call):
    ptn_cd = call["ptn_token"].removeprefix("token-of-")
    if ptn_cd not in users:
        return refuse("4001", "unknown ptn_token")
    acs_token = secrets.token_urlsafe(24)
    issued[acs_token] = ptn_cd
    expire_dt = (datetime.now(SEOUL) + timedelta(minutes=10)).strftime("%Y%m%d%H%M%S")
    result = {"acs_token": acs_token, "expire_dt": expire_dt, "ptn_cd": ptn_cd, "grade": "B"}
    return {"message": "SUCCESS", "code": "0000", "result": result}


def authenticate(call):
    if call["acs_token"] not in issued:
        return refuse("4101", "unknown acs_token")
    ptn_cd = issued[call["acs_token"]]
    if ptn_cd is None:
        return refuse("4102", "acs_token was used")
    issued[call["acs_token"]] = None
    ptn_sp = encrypt(users[ptn_cd]["passcode"], users[ptn_cd]["key"])
    return {"message": "SUCCESS", "code": "0000", "result": {"ptn_sp": ptn_sp}}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/sign-up":
            response = sign_up(call)
        elif (call.get("client_id"), call.get("secret_key")) != (CLIENT, SECRET):
            response = refuse("1001", "wrong client")
        else:
            response = (token if self.path.endswith("/token") else authenticate)(call)
        body = json.dumps(response).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json;charset=UTF-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
