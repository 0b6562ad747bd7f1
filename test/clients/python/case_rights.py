"""Who may do what: ACLs, roles, and the master key."""

import leancloud
from leancloud import ACL, Object, Role, User

from cases import case, ids, master_key, refused, same, stored

Diary = Object.extend("Diary")

_names = iter(range(1000))


def registered():
    user = User()
    user.sign_up("reader %d" % next(_names), "secret")
    return user


def with_acl(acl, **fields):
    diary = Diary(**fields)
    diary.set_acl(acl)
    diary.save()
    return diary


@case("an object is read and written by whom its ACL names")
def _():
    owner = registered()
    acl = ACL()
    acl.set_read_access(owner.id, True)
    acl.set_write_access(owner.id, True)
    diary = with_acl(acl, text="secret")
    same(stored(diary).get("text"), "secret")
    stranger = registered()
    same(Diary.query.equal_to("text", "secret").count(), 0)
    with refused(403):
        stored(diary)
    diary.set("text", "mine")
    with refused(403):
        diary.save()
    with refused(403):
        diary.destroy()
    User.set_current(owner)
    same(diary.get_acl().get_read_access(stranger), False)
    diary.get_acl().set_public_read_access(True)
    diary.set_acl(diary.get_acl())
    diary.save()
    User.set_current(None)
    same(stored(diary).get("text"), "mine")


@case("ACLs are shown when they are asked for, with the master key")
def _():
    acl = ACL()
    acl.set_public_read_access(True)
    acl.set_role_write_access("editors", True)
    diary = with_acl(acl, text="shared")
    with master_key():
        found = Diary.query.include_acl(True).equal_to("objectId", diary.id).first().get_acl()
    same((found.get_public_read_access(), found.get_public_write_access()), (True, False))
    same(found.get_role_write_access("editors"), True)


@case("what a role may, its users may, and those of the roles in it")
def _():
    writer, chief = registered(), registered()
    acl = ACL()
    acl.set_public_read_access(True)
    acl.set_write_access(chief.id, True)
    chiefs = Role("chiefs", acl)
    chiefs.users.add(chief)
    chiefs.save()
    writers = Role("writers", acl)
    writers.users.add(writer)
    writers.roles.add(chiefs)
    writers.save()
    same([role.get("name") for role in writer.get_roles()], ["writers"])
    diary_acl = ACL()
    diary_acl.set_role_read_access(writers, True)
    diary_acl.set_role_write_access(writers, True)
    diary = with_acl(diary_acl, text="of the writers")
    for user in (writer, chief):
        User.set_current(user)
        change = Diary.create_without_data(diary.id)
        change.set("by", user.id)
        change.save()
        same(stored(diary).get("by"), user.id)
    User.set_current(None)
    with refused(403):
        stored(diary)
    with master_key():
        same(ids(writers.users.query.find()), [writer.id])
    with refused(403):
        writers.users.remove(writer)
        writers.save()


@case("two roles of one name are refused")
def _():
    Role("once").save()
    with refused(137):
        Role("once").save()


@case("the master key does what nobody else may")
def _():
    diary = with_acl(ACL(), text="for nobody")
    with refused(403):
        stored(diary)
    with master_key():
        same(stored(diary).get("text"), "for nobody")
        diary.destroy()
