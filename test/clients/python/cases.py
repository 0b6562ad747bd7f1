"""Cases: functions that use the client, each with a sentence for a name. What becomes of them is one line of JSON each."""

import contextlib
import json
import sys
import traceback

import leancloud

_cases = []


def case(name):
    """Registers a function as a case."""

    def register(function):
        _cases.append((name, function))
        return function

    return register


def run():
    """Runs every case by itself: nobody is logged in, and requests have the rights of a client."""
    for name, function in _cases:
        leancloud.User.set_current(None)
        leancloud.use_master_key(False)
        try:
            function()
            _say({"case": name})
        except Exception:
            _say({"case": name, "failure": traceback.format_exc()})


def ask(what, about):
    """Asks whoever runs the cases for what a client cannot know, such as the code in a text message."""
    _say({"ask": what, "about": about})
    return json.loads(sys.stdin.readline())


@contextlib.contextmanager
def master_key():
    """Requests have the rights of the master key meanwhile."""
    leancloud.use_master_key(True)
    try:
        yield
    finally:
        leancloud.use_master_key(False)


@contextlib.contextmanager
def provider(name):
    """Clients are told this provider of files meanwhile."""
    ask("provider", name)
    try:
        yield
    finally:
        ask("provider", "auto")


@contextlib.contextmanager
def refused(code, text=""):
    """What is inside is refused by the server, with this code and a message that holds this text."""
    try:
        yield
    except leancloud.LeanCloudError as error:
        same(error.code, code)
        if text not in error.error:
            raise AssertionError("%r is not in %r" % (text, error.error))
        return
    raise AssertionError("It was not refused with %s." % code)


def same(value, expected):
    if value != expected or type(value) is not type(expected):
        raise AssertionError("%r is not %r" % (value, expected))


def ids(objects):
    return sorted(found.id for found in objects)


def stored(thing):
    """The object as the server has it, in an instance that knows nothing else."""
    return leancloud.Query(type(thing)).get(thing.id)


def _say(line):
    print(json.dumps(line), flush=True)
