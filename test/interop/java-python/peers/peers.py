"""Plays the service, the application or both, for many combinations of settings in one process.

Prints {"port": N}, then reads a job a line and writes its result a line (matrix/peer.ts says which).
Shares no code with authcli. What differs from run to run (ciphertexts, keys of RSA) is logged by its form.
"""

import base64
import ctypes
import ctypes.util
import datetime
import functools
import hashlib
import http.client
import json
import pathlib
import re
import sys
import threading
import urllib.parse
import zoneinfo
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))

import payload_ciphers as payloads  # noqa: E402
from cryptography.exceptions import InvalidTag  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import padding  # noqa: E402

crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
crypto.EVP_aria_256_cbc.restype = ctypes.c_void_p
crypto.EVP_CIPHER_CTX_new.restype = ctypes.c_void_p


class Aria:
    """aria-256-cbc of OpenSSL, which `cryptography` doesn't offer."""

    def __init__(self, key, iv):
        self.key, self.iv = key, iv

    def encryptor(self):
        return self.start(1)

    def decryptor(self):
        return self.start(0)

    def start(self, encrypts):
        self.context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
        kind = ctypes.c_void_p(crypto.EVP_aria_256_cbc())
        crypto.EVP_CipherInit_ex(self.context, kind, None, self.key, self.iv, encrypts)
        crypto.EVP_CIPHER_CTX_set_padding(self.context, 0)
        return self

    def update(self, data):
        out, size = ctypes.create_string_buffer(len(data) + 32), ctypes.c_int()
        crypto.EVP_CipherUpdate(self.context, out, ctypes.byref(size), data, len(data))
        return out.raw[: size.value]

    def finalize(self):
        crypto.EVP_CIPHER_CTX_free(self.context)
        return b""


payloads.READERS["sha1prng"] = lambda key: hashlib.sha1(hashlib.sha1(key.encode()).digest()).digest()
other_primitive = payloads.primitive
payloads.primitive = lambda cipher, key, iv, tag=None: (
    Aria(key, iv) if cipher["family"] == "aria" else other_primitive(cipher, key, iv, tag)
)


def cipher_of(spec, notation=None):
    text = notation or spec["cipher"]
    return {**payloads.parse(text.replace("aria", "aes")), "family": text.split("-")[0]}


def encrypt(spec, key, text):
    cipher = cipher_of(spec)
    return payloads.encode(cipher["encoding"], payloads.encrypt(cipher, key, text.encode()))


def decrypt(spec, key, payload):
    cipher = cipher_of(spec, spec.get("application_cipher"))
    plain = payloads.decrypt(cipher, key, payloads.decode(cipher["encoding"], payload))
    return plain.decode()


def write_user(user, form):
    email, name, phone = user["email"], user["name"], user["phone"]
    return {
        "json": lambda: json.dumps({"email": email, "name": name, "phone": phone}),
        "json-other": lambda: json.dumps(
            {"eml": email, "nm": name, "hp": phone, "grade": 3}, ensure_ascii=False
        ),
        "xml": lambda: f"<user><email>{escape(email)}</email><name>{escape(name)}</name>"
        f"<phone>{escape(phone)}</phone></user>",
        "form": lambda: urllib.parse.urlencode({"email": email, "name": name, "phone": phone}),
        "pipe": lambda: f"{email}|{name}|{phone}",
        "lines": lambda: f"email: {email}\nname: {name}\nphone: {phone}",
    }[form]()


def form_of(text):
    """What the text of a key or ciphertext looks like."""
    return {
        "length": len(text),
        "lines": len(text.splitlines()),
        "ends": text[-1:] if text[-1:] in "=\n" else "",
        "is_plain": re.fullmatch(r"[A-Za-z0-9+/_-]+={0,2}", text) is not None,
    }


def headers_of(headers):
    """In their order and case, but for the ones that the other side's address and the time change."""
    other = ("host", "date")
    return [[name, value] for name, value in headers if name.lower() not in other]


def read_public_key(text):
    der = base64.b64decode(re.sub(r"-----[^-]+-----|\s", "", text))
    return serialization.load_der_public_key(der)


@functools.cache
def read_private_key(text):
    return serialization.load_der_private_key(base64.b64decode(text), None)


class Service:
    def __init__(self, spec):
        self.spec, self.log, self.keys = spec, [], {}
        self.private_key = read_private_key(spec["private_key"])

    def public_key(self):
        key, form = self.private_key.public_key(), serialization.PublicFormat.SubjectPublicKeyInfo
        der = key.public_bytes(serialization.Encoding.DER, form)
        pem = key.public_bytes(serialization.Encoding.PEM, form)
        texts = {"base64": base64.b64encode(der), "lines": base64.encodebytes(der), "pem": pem}
        return texts[self.spec["form"]].decode()

    def post(self, connection, url, fields):
        body = json.dumps({"client_id": self.spec["client_id"], **fields}).encode()
        headers = {"Content-type": "application/json;charset=utf-8", "X-Trace": fields["ptn_cd"]}
        connection.request("POST", f"{url.path}?{url.query}", body, headers)
        response = connection.getresponse()
        text = response.read().decode()
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = {}
        parsed = parsed if isinstance(parsed, dict) else {}
        seen = {"status": [response.status, response.reason], "headers": headers_of(response.getheaders())}
        self.log.append({**seen, "code": parsed.get("code"), "message": parsed.get("message")})
        result = parsed.get("result")
        return result if isinstance(result, dict) else {}

    def sign_up(self, to):
        url = urllib.parse.urlsplit(to)
        connection = http.client.HTTPConnection(url.netloc, timeout=60)
        for user in self.spec["users"]:
            ptn_cd = user["ptn_cd"]
            sent = {"used_type": "1", "ptn_cd": ptn_cd, "public_key": self.public_key()}
            result = self.post(connection, url, sent)
            wrapped = result.get("enc_partner_key", "")
            try:
                key = self.private_key.decrypt(base64.b64decode(wrapped), padding.PKCS1v15())
                key = key.decode()
            except ValueError:
                key = None
            self.log.append({"wrapped": form_of(wrapped), "key": key})
            if key is None or len(key) != 32:
                continue
            self.keys[ptn_cd] = key
            fields = {
                "partner_sp": encrypt(self.spec, key, user["passcode"]),
                "ubifill": encrypt(self.spec, key, write_user(user, self.spec["format"])),
            }
            self.post(connection, url, {"used_type": "2", "ptn_cd": ptn_cd, **fields})
        connection.close()

    def respond(self, operation, fields):
        ptn_cd = (fields.get("ptn_token") or fields.get("acs_token", ""))[3:]
        user = next((each for each in self.spec["users"] if each["ptn_cd"] == ptn_cd), None)
        if fields.get("secret_key") != self.spec["secret_key"] or user is None:
            return {"code": "4001", "message": "refused"}
        if operation == "authenticate":
            result = {"ptn_sp": encrypt(self.spec, self.keys[ptn_cd], user["passcode"])}
            return {"code": "0000", "message": "", "result": result}
        life = datetime.timedelta(seconds=self.spec["ttl"])
        expiry = datetime.datetime.now(zoneinfo.ZoneInfo(self.spec["zone"])) + life
        dt = expiry.strftime("%Y%m%d%H%M%S")
        result = {"acs_token": "at-" + ptn_cd, "expire_dt": dt, "ptn_cd": ptn_cd}
        return {"code": "0000", "message": "issued", "result": result}


class Application:
    def __init__(self, spec):
        self.spec, self.log, self.keys, self.passcodes = spec, [], {}, {}

    def new_key(self, ptn_cd):
        drawn = hashlib.sha512((self.spec["seed"] + ptn_cd).encode()).digest()
        if self.spec["fault"] == "base64-key":
            return base64.b64encode(drawn[:32]).decode()
        text = drawn.hex() if "key=hex" in self.spec["cipher"] else base64.b64encode(drawn).decode()
        text = re.sub(r"[^A-Za-z0-9]", "", text)
        return text[: 16 if self.spec["fault"] == "short-key" else 32]

    def wrap(self, text, key):
        public_key, fault = read_public_key(text), self.spec["fault"]
        size = public_key.key_size // 8
        if fault == "plain-key":
            return key
        if fault == "unpadded":
            numbers = public_key.public_numbers()
            block = int.from_bytes(key.encode(), "big")
            return base64.b64encode(pow(block, numbers.e, numbers.n).to_bytes(size, "big")).decode()
        oaep = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
        wrapped = public_key.encrypt(key.encode(), oaep if fault == "oaep" else padding.PKCS1v15())
        texts = {
            "hexadecimal": lambda: wrapped.hex(),
            "base64url": lambda: base64.urlsafe_b64encode(wrapped).decode().rstrip("="),
            "line-breaks": lambda: base64.encodebytes(wrapped).decode(),
            "base64-twice": lambda: base64.b64encode(base64.b64encode(wrapped)).decode(),
        }
        return texts.get(fault, lambda: base64.b64encode(wrapped).decode())()

    def respond(self, operation, fields):
        ptn_cd, fault = fields["ptn_cd"], self.spec["fault"]
        if fields["used_type"] == "1":
            text = fields["public_key"]
            numbers = read_public_key(text).public_numbers()
            self.log.append({"key": form_of(text), "of": [numbers.n.bit_length(), numbers.e]})
            key = self.keys[ptn_cd] = self.new_key(ptn_cd)
            wrapped = {"enc_partner_key": self.wrap(text, key)}
            if fault == "shown-key":
                wrapped["debug"] = key
            response = {"code": "0000", "message": "", "result": wrapped}
            if fault == "code-number":
                response["code"] = 0
            if fault == "no-result":
                del response["result"]
            return response
        try:
            key = self.keys[ptn_cd]
            self.passcodes[ptn_cd] = decrypt(self.spec, key, fields["partner_sp"])
            info = decrypt(self.spec, key, fields["ubifill"])
        except (ValueError, InvalidTag) as error:
            return {"code": "9001", "message": f"{type(error).__name__}: {error}"}
        self.log.append({"passcode": self.passcodes[ptn_cd], "info": info})
        return {"code": "0000", "message": "registered"}

    def call(self, connection, url, fields):
        sent = {"client_id": self.spec["client_id"], "secret_key": self.spec["secret_key"], **fields}
        headers = {"Content-type": "application/json;charset=utf-8"}
        connection.request("POST", url, json.dumps(sent).encode(), headers)
        response = connection.getresponse()
        parsed = json.loads(response.read())
        seen = {"status": [response.status, response.reason], "headers": headers_of(response.getheaders())}
        self.log.append({**seen, "code": parsed["code"], "message": parsed["message"]})
        return parsed.get("result", {})

    def sign_in(self, to):
        url = urllib.parse.urlsplit(to)
        connection = http.client.HTTPConnection(url.netloc, timeout=60)
        for user in self.spec["users"]:
            ptn_cd = user["ptn_cd"]
            token = {"ptn_token": "pt-" + ptn_cd}
            issued = self.call(connection, url.path + "/process/token", token)
            zone = zoneinfo.ZoneInfo(self.spec["zone"])
            expiry = datetime.datetime.strptime(issued["expire_dt"], "%Y%m%d%H%M%S")
            life = expiry.replace(tzinfo=zone) - datetime.datetime.now(zone)
            is_fresh = abs(life.total_seconds() - self.spec["ttl"]) < 30
            fields = {"acs_token": issued["acs_token"]}
            found = self.call(connection, url.path + "/process/authenticate", fields)
            passcode = decrypt(self.spec, self.keys[ptn_cd], found["ptn_sp"])
            same = passcode == self.passcodes[ptn_cd]
            self.log.append({"user": issued["ptn_cd"], "fresh": is_fresh, "signed_in": same})
        connection.close()


roles = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "Peers/1", ""
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        _, name, path = self.path.split("/", 2)
        fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        role = roles["application " + name] if path.startswith("callback") else roles["service " + name]
        secret = ("public_key", "partner_sp", "ubifill")
        shown = {each: form_of(text) if each in secret else text for each, text in fields.items()}
        line = [self.command, path, self.request_version]
        role.log.append({"request": line, "headers": headers_of(self.headers.items()), "fields": shown})
        body = json.dumps(role.respond(path.rsplit("/", 1)[-1], fields)).encode()
        fault = role.spec["fault"] if path.startswith("callback") else ""
        self.send_response(500 if fault == "status-500" else 200)
        self.send_header("Content-Type", "text/html" if fault == "html-type" else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Role", type(role).__name__)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def work(job):
    spec, name = job.get("spec"), job["name"]
    if job["do"] == "begin":
        roles["application " + name] = Application(spec)
    elif job["do"] == "sign-up":
        roles["service " + name] = Service(spec)
        roles["service " + name].sign_up(job["to"])
    elif job["do"] == "sign-in":
        roles["application " + name].sign_in(job["to"])
    else:
        return roles.pop(job["role"] + " " + name).log


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    lock = threading.Lock()

    def run(line):
        job = json.loads(line)
        try:
            result = {"id": job["id"], "log": work(job)}
        except Exception as error:
            result = {"id": job["id"], "error": f"{type(error).__name__}: {error}"}
        with lock:
            print(json.dumps(result), flush=True)

    with ThreadPoolExecutor(4) as pool:
        for line in sys.stdin:
            pool.submit(run, line)


main()
