"""The right sign-in; a mistake takes the place of some of its methods."""

import base64
import hmac
import json
from urllib.request import HTTPRedirectHandler, Request, build_opener

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

TIME_LIMIT = 5


class Refused(Exception):
    pass


class NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class SignIn:
    """The right one; `given` is what a sign-in is told."""

    opener = build_opener(NoRedirect)
    content_type = "application/json;charset=utf-8"
    method = "POST"

    def __init__(self):
        self.kept = {}

    def address(self, given, path):
        return given.authUrl + path

    def body(self, fields):
        return json.dumps(fields).encode()

    def headers(self, given):
        return {"Content-Type": self.content_type}

    def send(self, given, path, fields):
        data, headers = self.body(fields), self.headers(given)
        request = Request(self.address(given, path), data, headers, method=self.method)
        with self.opener.open(request, timeout=TIME_LIMIT) as response:
            return response.read()

    def post(self, given, path, fields):
        return json.loads(self.send(given, path, fields))

    def success(self, response):
        return response.get("code") == "0000"

    def call(self, given, path, **fields):
        fields = {"client_id": given.clientId, "secret_key": given.secretKey, **fields}
        response = self.post(given, path, fields)
        if not self.success(response):
            raise Refused(f"{path}: {response.get('code')} {response.get('message')}")
        return response["result"]

    def token(self, given):
        return self.call(given, "/process/token", ptn_token=given.ptnToken)

    def authenticate(self, given, token):
        return self.call(given, "/process/authenticate", acs_token=token["acs_token"])

    def find(self, given, named):
        return given.users[named]

    def decrypt(self, payload, key):
        raw = base64.b64decode(payload)
        decryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(raw[:16])).decryptor()
        padded = decryptor.update(raw[16:]) + decryptor.finalize()
        unpadder = PKCS7(128).unpadder()
        return (unpadder.update(padded) + unpadder.finalize()).decode()

    def passcode(self, result, user):
        return self.decrypt(result["ptn_sp"], user["key"])

    def same(self, found, stored):
        return hmac.compare_digest(found.encode(), stored.encode())

    def check(self, result, user):
        if not self.same(self.passcode(result, user), user["superPasscode"]):
            raise Refused("another passcode")

    def sign_in(self, given):
        token = self.token(given)
        result = self.authenticate(given, token)
        self.check(result, self.find(given, token["ptn_cd"]))


def session_user(given):
    return next(iter(given.users))
