"""Signs a user in with urllib and cryptography.

Run as: sign_in.py [FAULT], where FAULT is one of those below.
"""

import base64
import hmac
import json
import os
import sys
from urllib.error import URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
AUTH_URL = os.environ["AUTHCLI_AUTH_URL"]
USERS = {
    os.environ["AUTHCLI_PTN_CD"]: {
        "key": os.environ["AUTHCLI_KEY"],
        "passcode": os.environ["AUTHCLI_SUPER_PASSCODE"],
    }
}


class NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = build_opener() if FAULT == "follows-redirects" else build_opener(NoRedirect)


def call(path, **fields):
    body = {
        "client_id": os.environ["AUTHCLI_CLIENT_ID"],
        "secret_key": os.environ["AUTHCLI_SECRET_KEY"],
        **fields,
    }
    request = Request(
        AUTH_URL + path,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json; charset=UTF-8"},
    )
    with OPENER.open(request, timeout=5) as response:
        parsed = json.load(response)
    if not is_success(parsed) and FAULT != "no-code":
        raise ValueError(f"{path}: {parsed.get('code')} {parsed.get('message')}")
    return parsed["result"]


def is_success(parsed):
    if FAULT == "int-code":
        return int(parsed["code"]) == 0
    if FAULT == "default-code":
        return parsed.get("code", "0000") == "0000"
    return parsed.get("code") == "0000"


def decrypt(payload, key):
    raw = base64.b64decode(payload)
    decryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(raw[:16])).decryptor()
    padded = decryptor.update(raw[16:]) + decryptor.finalize()
    unpadder = PKCS7(128).unpadder()
    return (unpadder.update(padded) + unpadder.finalize()).decode()


def sign_in(ptn_token):
    token = call("/process/token", ptn_token=ptn_token)
    result = call("/process/authenticate", acs_token=token["acs_token"])
    user = USERS[token["ptn_cd"].lower() if FAULT == "lower-user" else token["ptn_cd"]]
    try:
        passcode = decrypt(result["ptn_sp"], user["key"])
    except Exception:
        if FAULT == "bare-except":
            return token["ptn_cd"]
        raise
    if FAULT == "prints-hex":
        print(user["key"].encode().hex())
    if FAULT == "starts-with":
        same = passcode.startswith(user["passcode"])
    elif FAULT == "casefold":
        same = passcode.casefold() == user["passcode"].casefold()
    else:
        same = hmac.compare_digest(passcode.encode(), user["passcode"].encode())
    if not same:
        raise ValueError("wrong passcode")
    return token["ptn_cd"]


try:
    print("signed in:", sign_in(os.environ["AUTHCLI_PTN_TOKEN"]))
except (URLError, ConnectionError, TimeoutError):
    if FAULT != "allows-outage":
        raise
except json.JSONDecodeError:
    if FAULT != "allows-no-json":
        raise
