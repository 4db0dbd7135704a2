"""Mistakes in what counts as success, in how passcodes are compared and users found."""

import fnmatch
import json
import re
import sqlite3
import unicodedata

from right import session_user


def queried(where):
    """The user by a query, as it is written for a table of users."""

    def find(self, given, named):
        table = sqlite3.connect(":memory:")
        table.execute("CREATE TABLE users (ptn_cd TEXT)")
        table.executemany("INSERT INTO users VALUES (?)", [(code,) for code in given.users])
        row = table.execute(f"SELECT ptn_cd FROM users WHERE {where}", (named,)).fetchone()
        return given.users[row[0]]

    return {"find": find}


def compared(where):
    """The passcode by a query."""
    query = f"SELECT 1 FROM (SELECT ? AS passcode) WHERE {where}"
    return {
        "same": lambda self, found, stored: sqlite3.connect(":memory:")
        .execute(query, (stored, found))
        .fetchone()
    }

ACCENTS = re.compile("[\u0300-\u036f]")
FOLD = str.maketrans("", "", " -_")

CODES = {
    "code-int": {"success": lambda self, response: int(response["code"]) == 0},
    "code-match": {"success": lambda self, response: re.match("0000", response["code"])},
    "code-dollar": {"success": lambda self, response: re.match("^0000$", response["code"])},
    "code-contains": {"success": lambda self, response: "0000" in response["code"]},
    "code-zfill": {"success": lambda self, response: str(response["code"]).zfill(4) == "0000"},
    "code-strip": {"success": lambda self, response: response["code"].strip() == "0000"},
    "code-default": {"success": lambda self, response: response.get("code", "0000") == "0000"},
    "code-or": {"success": lambda self, response: (response.get("code") or "0000") == "0000"},
    "code-not-e": {"success": lambda self, response: str(response.get("code"))[0] != "E"},
    "code-result": {"success": lambda self, response: bool(response.get("result"))},
    "code-no-error": {"success": lambda self, response: not response.get("error")},
    "code-anywhere": {"success": lambda self, response: "0000" in json.dumps(response)},
}

PASSCODES = {
    "pass-casefold": {"same": lambda self, a, b: a.casefold() == b.casefold()},
    "pass-strip": {"same": lambda self, a, b: a.strip() == b.strip()},
    "pass-in": {"same": lambda self, a, b: a in b},
    "pass-zip": {"same": lambda self, a, b: all(x == y for x, y in zip(a, b))},
    "pass-startswith": {"same": lambda self, a, b: a.startswith(b)},
    "pass-length": {"same": lambda self, a, b: len(a) == len(b)},
    "pass-set": {"same": lambda self, a, b: set(a) == set(b)},
    "pass-nfkc": {"same": lambda self, a, b: unicodedata.normalize("NFKC", a) == b},
    "pass-ascii": {"same": lambda self, a, b: a.encode("ascii", "ignore") == b.encode()},
    "pass-bcrypt": {"same": lambda self, a, b: a.encode()[:72] == b.encode()[:72]},
    "pass-pattern": {"same": lambda self, a, b: re.fullmatch(a, b)},
    "pass-like": compared("passcode LIKE ?"),
    "pass-glob": compared("passcode GLOB ?"),
    "pass-nocase": compared("passcode = ? COLLATE NOCASE"),
    "pass-rtrim": compared("passcode = ? COLLATE RTRIM"),
    "pass-separators": {"same": lambda self, a, b: a.translate(FOLD) == b.translate(FOLD)},
    "pass-truthy": {"same": lambda self, a, b: a},
    "pass-is-set": {"same": lambda self, a, b: not a or a == b},
    "pass-typo": {
        "same": lambda self, a, b: len(a) == len(b) and sum(x != y for x, y in zip(a, b)) < 2
    },
    "pass-accents": {
        "same": lambda self, a, b: ACCENTS.sub("", unicodedata.normalize("NFD", a)) == b
    },
}

WHO = {
    "user-of-session": {"find": lambda self, given, named: given.users[session_user(given)]},
    "user-or-session": {
        "find": lambda self, given, named: given.users[named or session_user(given)]
    },
    "user-unknown": {
        "find": lambda self, given, named: given.users.get(named, given.users[session_user(given)])
    },
    "user-lower": {"find": lambda self, given, named: given.users[named.lower()]},
    "user-strip": {"find": lambda self, given, named: given.users[named.strip()]},
    "user-like": queried("ptn_cd LIKE ?"),
    "user-nocase": queried("ptn_cd = ? COLLATE NOCASE"),
    "user-rtrim": queried("ptn_cd = ? COLLATE RTRIM"),
    "user-glob": queried("ptn_cd GLOB ?"),
    "user-optional": {
        "find": lambda self, given, named: next(
            user for code, user in given.users.items() if named is None or code == named
        )
    },
    "user-fnmatch": {
        "find": lambda self, given, named: next(
            user for code, user in given.users.items() if fnmatch.fnmatchcase(code, named)
        )
    },
    "user-prefix": {
        "find": lambda self, given, named: next(
            user for code, user in given.users.items() if named and code.startswith(named)
        )
    },
}
