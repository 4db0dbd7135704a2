"""Tests of the application with pytest. authcli plays the service: it is started here, and ended."""

import json
import os
import re
import shlex
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

AUTHCLI = shlex.split(os.environ.get("AUTHCLI", "authcli"))


@contextmanager
def running(command, env):
    """A command that prints its address when it listens; yields that address."""
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert address, f"{command} did not start"
        threading.Thread(target=process.stdout.read, daemon=True).start()  # so that it can print more
        yield address[0]
    finally:
        process.terminate()
        process.wait(timeout=10)


def post(url, fields):
    """The status of the response, and its JSON."""
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(fields).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    """Settings and users of authcli that are only of these tests."""
    return {**os.environ, "AUTHCLI_CONFIG": str(tmp_path_factory.mktemp("authcli") / "config.json")}


@pytest.fixture(scope="module")
def service(env):
    with running([*AUTHCLI, "emulate", "service", "--json"], env) as url:
        yield url


@pytest.fixture(scope="module")
def application(service, env):
    script = Path(__file__).with_name("application.py")
    with running([sys.executable, script], {**env, "AUTH_URL": service, "PORT": "0"}) as url:
        yield url


def sign_up(service, application, ptn_cd):
    fields = {"ptn_cd": ptn_cd, "callback_url": f"{application}/callback"}
    assert post(f"{service}/_authcli/signup", fields)[1].get("signed_up")


def sign_in(service, application, ptn_cd):
    """Asks the application to sign the user in, with a token like one of the user's device."""
    _, token = post(f"{service}/_authcli/ptn-token", {"ptn_cd": ptn_cd})
    return post(f"{application}/sign-in", {"ptn_token": token["ptn_token"]})


def calls(service, ptn_cd):
    """What the service received for the user, and the codes that it responded with."""
    with urllib.request.urlopen(f"{service}/_authcli/journal?ptn_cd={ptn_cd}") as response:
        return [(entry["operation"], entry["code"]) for entry in json.load(response)["entries"]]


def test_callbacks_conform(application, env):
    command = [*AUTHCLI, "verify", "--url", f"{application}/callback"]
    run = subprocess.run(command, env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_signs_in_with_one_call_to_each_endpoint(service, application):
    sign_up(service, application, "alice")
    assert sign_in(service, application, "alice") == (200, {"ptn_cd": "alice"})
    assert calls(service, "alice") == [("token", "0000"), ("authenticate", "0000")]


def test_refuses_another_passcode(service, application):
    sign_up(service, application, "bob")
    post(f"{service}/_authcli/faults", {"name": "wrong-passcode", "ptn_cd": "bob"})
    status, _ = sign_in(service, application, "bob")
    assert status == 401
