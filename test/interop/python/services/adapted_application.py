"""An application that was adapted to departing_service.py, but for what MODE names, which it does as the interface has it, or
as the next service would. Prints its address; POST /sign-in signs in with a ptn_token, GET /log gives all that it saw."""
import base64
import json
import secrets
import sys
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import padding, serialization
from cryptography.hazmat.primitives.asymmetric import padding as rsa_padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

CLIENT, SECRET, MODE = sys.argv[1:4]
ZONE = timezone.utc if MODE == "utc" else timezone(timedelta(hours=9))
keys, passcodes, log = {}, {}, []


def wrap(text, key):
    if MODE == "base64-key":
        public_key = serialization.load_der_public_key(base64.b64decode(text, validate=True))
    else:
        public_key = serialization.load_pem_public_key(text.encode())
    log.append(["public_key", public_key.key_size, public_key.public_numbers().e, len(text)])
    wrapped = public_key.encrypt(key.encode(), rsa_padding.PKCS1v15())
    return (base64.encodebytes if MODE == "loose" else base64.b64encode)(wrapped).decode()


def decrypt(text, key):
    data = base64.b64decode(text, validate=True) if MODE == "base64" else bytes.fromhex(text)
    mode = modes.ECB() if MODE == "ecb" else modes.CBC(data[:16])
    decryptor = Cipher(algorithms.AES(key.encode()), mode).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    padded = decryptor.update(data if MODE == "ecb" else data[16:]) + decryptor.finalize()
    return (unpadder.update(padded) + unpadder.finalize()).decode()


def read_user(text):
    if MODE == "json":
        return json.loads(text)
    fields = dict(urllib.parse.parse_qsl(text, strict_parsing=True))
    return [fields["email" if MODE == "email" else "eml"], fields["nm"], fields["hp"]]


def callback(call, headers):
    kinds = ["1", "2"] if MODE == "string" else [1, 2]
    log.append(["callback", list(call), call["grade"], headers["Content-Type"], headers["X-Api-Key"]])
    if MODE == "charset" and "charset" not in headers["Content-Type"]:
        return {"code": "9415", "message": "no charset"}
    ptn_cd = call["ptn_cd"]
    if call["used_type"] == kinds[0]:
        keys[ptn_cd] = secrets.token_hex(16)
        wrapped = wrap(call["public_key"], keys[ptn_cd])
        return {"code": "0000", "message": "", "result": {"enc_partner_key": wrapped}}
    if call["used_type"] != kinds[1]:
        return {"code": "9400", "message": "unknown used_type"}
    passcodes[ptn_cd] = decrypt(call["partner_sp"], keys[ptn_cd])
    info = decrypt(call["ubifill"], keys[ptn_cd])
    log.append(["user", passcodes[ptn_cd], info, read_user(info)])
    return {"code": "0000", "message": ""}


def respond(call, headers):
    try:
        response = callback(call, headers)
    except Exception as error:  # what a framework would make of it
        response = {"code": "9500", "message": type(error).__name__}
    log.append(["answered", response["code"], response["message"]])
    return response


def sign_in(call):
    def post(path, **fields):
        body = json.dumps({"client_id": CLIENT, "secret_key": SECRET, **fields}).encode()
        sent = {"Content-Type": "application/json" + ("" if MODE == "loose" else ";charset=utf-8")}
        request = urllib.request.Request(f"{call['auth_url']}/process/{path}", body, sent)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    token = post("token", ptn_token=call["ptn_token"])
    if token["code"] != "0000":
        log.append(["token", token])
        return
    result = token["result"]
    expiry = datetime.strptime(result["expire_dt"], "%Y%m%d%H%M%S").replace(tzinfo=ZONE)
    minutes = (expiry - datetime.now(timezone.utc)).total_seconds() / 60
    log.append(["token", result["ptn_cd"], result["grade"], "expired" if minutes < 0 else 10 * round(minutes / 10)])
    first = post("authenticate", acs_token=result["acs_token"])
    try:
        verdict = decrypt(first["result"]["ptn_sp"], keys[result["ptn_cd"]]) == passcodes[result["ptn_cd"]]
    except Exception as error:
        verdict = type(error).__name__
    log.append(["signed in", verdict, post("authenticate", acs_token=result["acs_token"])])


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.reply(sign_in(call) if self.path == "/sign-in" else respond(call, self.headers))

    def do_GET(self):
        self.reply(log)

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
