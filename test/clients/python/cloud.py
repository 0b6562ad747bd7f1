"""Cloud code of an app: functions, and a hook of every kind."""

import json
import os

import leancloud
from leancloud import LeanEngineError, Object, Query, User

engine = leancloud.Engine()


def note(hook, **what):
    with open(os.environ["NOTES"], "a") as notes:
        notes.write(json.dumps(dict(what, hook=hook)) + "\n")


@engine.define
def greet(name="nobody"):
    user = engine.current.user
    return "Hello, %s. You are %s." % (name, user.get("username") if user else "unknown")


@engine.define
def whose_session():
    current = User.get_current()
    return [engine.current.session_token, current.id if current else None, engine.current.meta["remote_address"]]


@engine.define
def refuse(code=None):
    if code is None:
        raise ValueError("something is wrong")
    raise LeanEngineError(code, "refused on purpose")


@engine.define
def write_diary(text):
    diary = Object.create("Diary", text=text)
    diary.set_acl(acl_of(engine.current.user))
    diary.save()
    return diary.id


def acl_of(user):
    acl = leancloud.ACL()
    acl.set_read_access(user.id, True)
    acl.set_write_access(user.id, True)
    return acl


@engine.define
def best_review(movie):
    reviews = Query("Review").equal_to("movie", movie).descending("stars").find()
    return {"best": reviews[0], "all": reviews}


@engine.before_save("Review")
def before_review(review):
    if not review.get("comment"):
        raise LeanEngineError(message="No comment provided!")
    review.set("comment", review.get("comment")[:10])
    review.unset("draft")
    review.increment("stars", 0)
    if engine.current.user:
        review.set("author", engine.current.user)


@engine.after_save("Review")
def after_review(review):
    movie = review.get("movie")
    if movie:
        movie.increment("reviews")
        movie.save()
    review.set("counted", True)
    review.save()


@engine.before_update("Review")
def before_review_update(review):
    note("beforeUpdate", keys=review.updated_keys, stars=review.get("stars"))
    if review.get("stars") > 5:
        raise LeanEngineError(message="Too many stars")


@engine.after_update("Review")
def after_review_update(review):
    note("afterUpdate", keys=review.updated_keys, stars=review.get("stars"))


@engine.before_delete("Review")
def before_review_delete(review):
    if review.get("stars") == 5:
        raise LeanEngineError(message="The best ones stay")


@engine.after_delete("Review")
def after_review_delete(review):
    note("afterDelete", id=review.id)


@engine.before_save("Everything")
def before_everything(everything):
    everything.set("seen", True)


@engine.on_login
def on_login(user):
    if user.get("banned"):
        raise LeanEngineError(message="Banned")
    note("onLogin", username=user.get_username())


@engine.on_verified("sms")
def on_verified_sms(user):
    note("onVerified", number=user.get_mobile_phone_number())


@engine.on_auth_data
def on_auth_data(auth_data):
    acme = auth_data.get("acme")
    if acme and acme.get("code") == "wrong":
        raise LeanEngineError(message="No such code")
    if acme and "code" in acme:
        return {"acme": {"uid": "uid of " + acme["code"], "access_token": "token"}}


@engine.define("_messageReceived")
def on_message(content, fromPeer, convId, **_):
    note("_messageReceived", sender=fromPeer, conversation=convId)
    if "bad" in content:
        return {"content": content.replace("bad", "***")}
    if "spam" in content:
        return {"drop": True, "code": 4402, "detail": "No spam"}


@engine.define("_conversationStart")
def on_start(initBy, members, **_):
    if "nobody" in members:
        return {"reject": True, "code": 9999, "detail": "Nobody is nobody"}
