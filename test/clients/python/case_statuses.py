"""Statuses: what users tell their followers, and each other in private."""

from leancloud import Query, Status, User
from leancloud.status import InboxQuery

from cases import case, refused, same

_names = iter(range(1000))


def registered():
    user = User()
    user.sign_up("teller %d" % next(_names), "secret")
    return user


def inbox(owner, inbox_type="default"):
    return InboxQuery().owner(owner).inbox_type(inbox_type)


def texts(statuses):
    return [status.get("text") for status in statuses]


@case("a status reaches the followers, and goes when it is taken back")
def _():
    ann, bo = registered(), registered()
    bo.follow(ann.id)
    User.set_current(ann)
    first, second = Status(text="one"), Status(text="two")
    for status in (first, second):
        status.send_to_followers()
        same(status.created_at is not None, True)
    User.set_current(bo)
    found = inbox(bo).find()
    same(texts(found), ["two", "one"])
    same(found[0].id, second.id)
    same(found[0].get("source").id, ann.id)
    newest = found[0].get("messageId")
    same(texts(inbox(bo).since_id(newest - 1).find()), ["two"])
    same(texts(inbox(bo).max_id(newest - 1).find()), ["one"])
    same(tuple(Status.count_unread_statuses(bo)), (2, 2))
    with refused(403):
        first.destroy()
    User.set_current(ann)
    first.destroy()
    User.set_current(bo)
    same(texts(inbox(bo).find()), ["two"])
    same(texts(inbox(bo).equal_to("text", "none").find()), [])


@case("a private status is read by whom it is for")
def _():
    cy, dee, stranger = registered(), registered(), registered()
    User.set_current(cy)
    status = Status(text="psst")
    status.send_private_status(dee)
    User.set_current(dee)
    same(texts(inbox(dee, "private").find()), ["psst"])
    User.set_current(stranger)
    with refused(403):
        inbox(dee, "private").find()
    with refused(403):
        Query("_Status").get(status.id)


@case("a status goes to those whom a query names")
def _():
    eve, fay = registered(), registered()
    User.set_current(eve)
    status = Status(text="for you")
    status.inbox_type = "news"
    status.send(Query("_User").equal_to("objectId", fay.id))
    User.set_current(fay)
    same(texts(inbox(fay, "news").find()), ["for you"])
