"""Signs a user in with urllib and cryptography.

Run as: sign_in.py [FAULT], where FAULT is one of those below.
"""

import base64
import hmac
import json
import os
import re
import sqlite3
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
    good = int(parsed["code"]) == 0 if FAULT == "int-code" else parsed.get("code") == "0000"
    if not good:
        raise ValueError(f"{path}: {parsed.get('code')} {parsed.get('message')}")
    return parsed["result"]


def decrypt(payload, key):
    raw = base64.b64decode(payload)
    decryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(raw[:16])).decryptor()
    padded = decryptor.update(raw[16:]) + decryptor.finalize()
    unpadder = PKCS7(128).unpadder()
    return (unpadder.update(padded) + unpadder.finalize()).decode()


def is_same(found, stored):
    if FAULT in ("sql-like", "sql-glob"):
        query = f"SELECT ? {FAULT[4:].upper()} ?"
        return sqlite3.connect(":memory:").execute(query, (stored, found)).fetchone()[0] == 1
    if FAULT == "pattern":
        return re.fullmatch(found, stored) is not None
    return hmac.compare_digest(found.encode(), stored.encode())


def sign_in(ptn_token):
    token = call("/process/token", ptn_token=ptn_token)
    result = call("/process/authenticate", acs_token=token["acs_token"])
    user = USERS[token["ptn_cd"]]
    try:
        passcode = decrypt(result["ptn_sp"], user["key"])
    except Exception:
        if FAULT == "bare-except":
            return token["ptn_cd"]
        raise
    if FAULT == "prints-bytes":
        print(list(user["key"].encode()))
    if not is_same(passcode, user["passcode"]):
        raise ValueError("wrong passcode")
    return token["ptn_cd"]


try:
    print("signed in:", sign_in(os.environ["AUTHCLI_PTN_TOKEN"]))
except (URLError, ConnectionError, TimeoutError):
    if FAULT != "allows-outage":
        raise
