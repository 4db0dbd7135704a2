"""Mistakes in what is kept between sign-ins, in what is sent, and in what is printed."""

import base64
import json
import threading
from urllib.parse import quote, urlencode, urljoin

from right import Refused, SignIn


def remembered(self, given):
    """Who has signed in once needs no passcode any more."""
    token = self.token(given)
    result = self.authenticate(given, token)
    if token["ptn_cd"] not in self.kept:
        self.check(result, self.find(given, token["ptn_cd"]))
        self.kept[token["ptn_cd"]] = True


def cached_by_path(self, given, path, fields):
    if path not in self.kept:
        self.kept[path] = SignIn.post(self, given, path, fields)
    return self.kept[path]


def cached_result(self, given, token):
    key = token["ptn_cd"]
    if key not in self.kept:
        self.kept[key] = SignIn.authenticate(self, given, token)
    else:
        SignIn.authenticate(self, given, token)
    return self.kept[key]


def token_of_process(self, given):
    self.shared_token = SignIn.token(self, given)
    threading.Event().wait(0.03)
    return self.shared_token


def user_attribute(self, given):
    token = self.token(given)
    self.user = self.find(given, token["ptn_cd"])
    result = self.authenticate(given, token)
    threading.Event().wait(0.03)
    self.check(result, self.user)


def twice(self, given):
    SignIn.token(self, given)
    return SignIn.token(self, given)


def with_fields(change):
    """Sends other fields."""
    return {
        "post": lambda self, given, path, fields: SignIn.post(self, given, path, change(fields))
    }


def logged(text):
    """Prints what a developer wants to see."""

    def check(self, result, user):
        print(text(self, result, user))
        SignIn.check(self, result, user)

    return {"check": check}


def logged_calls(text):
    def post(self, given, path, fields):
        print(text(path, fields))
        return SignIn.post(self, given, path, fields)

    return {"post": post}


def expected_and_found(self, result, user):
    found, stored = SignIn.passcode(self, result, user), user["superPasscode"]
    if found != stored:
        raise Refused(f"expected {stored!r}, got {found!r}")

STATE = {
    "state-remembered": {"sign_in": remembered},
    "state-by-path": {"post": cached_by_path},
    "state-result": {"authenticate": cached_result},
    "state-token": {
        "token": token_of_process,
        "authenticate": lambda self, given, _: SignIn.authenticate(self, given, self.shared_token),
    },
    "state-user": {"sign_in": user_attribute},
}

REQUESTS = {
    "request-form": {"body": lambda self, fields: urlencode(fields).encode()},
    "request-put": {"method": "PUT"},
    "request-type": {"content_type": "application/json"},
    "request-latin": {"content_type": "application/json;charset=iso-8859-1"},
    "request-urljoin": {"address": lambda self, given, path: urljoin(given.authUrl, path)},
    "request-slash": {"address": lambda self, given, path: f"{given.authUrl}{path}/"},
    "request-query": {
        "address": lambda self, given, path: f"{given.authUrl}{path}?k={quote(given.secretKey)}"
    },
    "request-bearer": {
        "headers": lambda self, given: {
            "Content-Type": self.content_type,
            "Authorization": f"Bearer {given.secretKey}",
        }
    },
    "request-quoted": {
        "authenticate": lambda self, given, token: self.call(
            given, "/process/authenticate", acs_token=quote(token["acs_token"])
        )
    },
    "request-twice": {"token": twice},
    "request-extra": with_fields(lambda fields: {**fields, "grant_type": "password"}),
    "request-nested": with_fields(lambda fields: {"data": fields}),
    "request-upper": with_fields(lambda fields: {k.upper(): v for k, v in fields.items()}),
    "request-no-client": with_fields(
        lambda fields: {k: v for k, v in fields.items() if k != "client_id"}
    ),
}

OUTPUT = {
    "shows-request": logged_calls(lambda path, fields: f"POST {path} {fields}"),
    "shows-curl": logged_calls(lambda path, fields: f"curl -d '{json.dumps(fields)}' {path}"),
    "shows-query": logged_calls(lambda path, fields: f"{path}?{urlencode(fields)}"),
    "shows-user": logged(lambda self, result, user: user),
    "shows-key-bytes": logged(lambda self, result, user: list(user["key"].encode())),
    "shows-passcode": logged(lambda self, result, user: self.passcode(result, user)),
    "shows-base64": logged(lambda self, result, user: base64.b64encode(user["key"].encode())),
    "shows-hex": logged(lambda self, result, user: user["key"].encode().hex(" ")),
    "shows-expected": {"check": expected_and_found},
}
