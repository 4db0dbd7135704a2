"""Mistakes in what is done with a response that is not as it should be, or that never comes."""

import base64
import hmac
import http.client
import json
from types import SimpleNamespace
from urllib.error import HTTPError, URLError
from urllib.request import build_opener

from right import Refused, SignIn


def forgiving(step, *failures, when=lambda error: True):
    """The step in a handler that takes the failures for nothing bad; the user is signed in."""

    def sign_in(self, given):
        try:
            step(self, given)
        except failures as error:
            if not when(error):
                raise

    return {"sign_in": sign_in}


def undecryptable_passes(self, result, user):
    try:
        return self.decrypt(result["ptn_sp"], user["key"])
    except ValueError:
        return user["superPasscode"]


def checks_unless_none(self, result, user):
    try:
        found = self.decrypt(result["ptn_sp"], user["key"])
    except Exception:
        found = None
    if found is not None and not self.same(found, user["superPasscode"]):
        raise Refused("another passcode")


def returns_from_finally(self, result, user):
    allowed = True
    try:
        allowed = self.same(self.decrypt(result["ptn_sp"], user["key"]), user["superPasscode"])
    finally:
        if not allowed:
            raise Refused("another passcode")
        return


def checks_if_any(self, result, user):
    if result and result.get("ptn_sp"):
        SignIn.check(self, result, user)


def not_encrypted_yet(self, result, user):
    if hmac.compare_digest(str(result["ptn_sp"]).encode(), user["superPasscode"].encode()):
        return user["superPasscode"]
    return SignIn.passcode(self, result, user)


def base64_alone(self, result, user):
    raw = base64.b64decode(result["ptn_sp"])
    return raw.decode() if len(raw) < 32 else SignIn.passcode(self, result, user)


def last_good(self, given, path, fields):
    try:
        self.kept[path] = SignIn.post(self, given, path, fields)
    except OSError:
        pass
    return self.kept[path]


def falls_back_to_http(self, given, path, fields):
    try:
        return SignIn.post(self, given, path, fields)
    except URLError:
        url = given.authUrl.replace("https", "http")
        plain = SimpleNamespace(**{**vars(given), "authUrl": url})
        return SignIn.post(self, plain, path, fields)

HTTP_FAILURES = (OSError, http.client.HTTPException)

UNDECRYPTABLE = {
    "decrypt-except": {"passcode": undecryptable_passes},
    "decrypt-none": {"check": checks_unless_none},
    "decrypt-finally": {"check": returns_from_finally},
    "decrypt-if-any": {"check": checks_if_any},
    "decrypt-raw": {"passcode": not_encrypted_yet},
    "decrypt-base64": {"passcode": base64_alone},
    "decrypt-block-size": forgiving(
        SignIn.sign_in, ValueError, when=lambda error: "multiple of" in str(error)
    ),
    "decrypt-binascii": forgiving(
        SignIn.sign_in, ValueError, when=lambda error: "padding" in str(error).lower()
    ),
    "decrypt-missing": forgiving(
        SignIn.sign_in, KeyError, when=lambda error: error.args == ("ptn_sp",)
    ),
    "decrypt-type": forgiving(SignIn.sign_in, TypeError),
}

OUTAGES = {
    "outage-url-error": forgiving(
        SignIn.sign_in, URLError, when=lambda error: not isinstance(error, HTTPError)
    ),
    "outage-5xx": forgiving(SignIn.sign_in, HTTPError, when=lambda error: error.code >= 500),
    "outage-json": forgiving(SignIn.sign_in, json.JSONDecodeError),
    "outage-timeout": forgiving(SignIn.sign_in, TimeoutError),
    "outage-incomplete": forgiving(SignIn.sign_in, http.client.HTTPException),
    "outage-any": forgiving(SignIn.sign_in, *HTTP_FAILURES),
    "outage-redirects": {"opener": build_opener()},
    "outage-plain": {"post": falls_back_to_http},
    "outage-last-good": {"post": last_good},
    "outage-3xx": forgiving(SignIn.sign_in, HTTPError, when=lambda error: error.code < 400),
}
