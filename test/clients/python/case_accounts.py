"""Users: registrations, logins of every kind, session tokens, passwords, third-party accounts, addresses and numbers."""

import leancloud
from leancloud import User, cloud

from cases import ask, case, master_key, refused, same

_names = iter(range(1000))


def registered(**fields):
    """A new user, logged in."""
    user = User(**fields)
    user.sign_up("user %d" % next(_names), "secret")
    return user


@case("a user signs up, logs in by name and by address, and logs out")
def _():
    user = registered(email="mia@example.org", nickname="Mia")
    same((user.is_authenticated(), User.get_current().id, user.get("password")), (True, user.id, None))
    user.logout()
    same(User.get_current(), None)
    by_name, by_address = User(), User()
    by_name.login(user.get_username(), "secret")
    same((by_name.id, by_name.get("nickname"), by_name.get_session_token()), (user.id, "Mia", user.session_token))
    same((by_name.get("emailVerified"), by_name.get("mobilePhoneVerified")), (False, False))
    by_address.login(email="mia@example.org", password="secret")
    same((by_address.id, by_address.is_current), (user.id, True))


@case("wrong registrations and logins are refused")
def _():
    user = registered(email="leo@example.org")
    User.set_current(None)
    with refused(202):
        User().sign_up(user.get_username(), "other")
    with refused(203):
        User(email="leo@example.org").sign_up("another leo", "other")
    with refused(125):
        User(email="no address").sign_up("a third leo", "other")
    with refused(210):
        User().login(user.get_username(), "wrong")
    with refused(211):
        User().login("nobody", "secret")


@case("a session token makes somebody current, until it is replaced")
def _():
    user = registered()
    old = user.get_session_token()
    User.set_current(None)
    same(User.become(old).id, user.id)
    same(User.get_current().get_username(), user.get_username())
    User.get_current().refresh_session_token()
    fresh = User.get_current().get_session_token()
    same(fresh != old, True)
    User.set_current(None)
    with refused(211):
        User.become(old)
    user._session_token = old
    same(user.is_authenticated(), False)
    same(User.become(fresh).id, user.id)


@case("a password is changed by who knows the old one")
def _():
    user = registered()
    with refused(210):
        user.update_password("wrong", "fresh")
    user.update_password("secret", "fresh")
    same(user.is_authenticated(), True)
    user.logout()
    User().login(user.get_username(), "fresh")
    with refused(210):
        User().login(user.get_username(), "secret")


@case("a user changes its own fields and nobody else does")
def _():
    user = registered()
    user.set("nickname", "Ann")
    user.save()
    found = User.query.get(user.id)
    same(found.get("nickname"), "Ann")
    User.set_current(None)
    user.set("nickname", "Eve")
    with refused(206):
        user.save()
    with master_key():
        user.save()
        same(User.query.equal_to("nickname", "Eve").equal_to("username", user.get_username()).count(), 1)


@case("a password is set with the other fields")
def _():
    user = registered()
    user.set_password("fresh")
    user.save()
    User.set_current(None)
    User().login(user.get_username(), "fresh")


@case("a third-party account registers, and later logs in, by uid or by openid alone")
def _():
    for platform, data in [
        ("acme", {"uid": "u1", "access_token": "t1"}),
        ("weixin", {"openid": "o1", "access_token": "t1", "expires_in": 7200}),
        ("weixinapp", {"openid": "o1", "session_key": "k1"}),
    ]:
        user = User.login_with(platform, dict(data))
        same((user.is_linked(platform), user.is_current), (True, True))
        User.set_current(None)
        again = User.login_with(platform, dict(data))
        same((again.id, again.get_session_token()), (user.id, user.get_session_token()))
        User.set_current(None)


@case("a third-party account is linked to a user, and unlinked")
def _():
    user = registered()
    user.link_with("acme", {"uid": "u2", "access_token": "t2"})
    User.set_current(None)
    same(User.login_with("acme", {"uid": "u2", "access_token": "t3"}).id, user.id)
    User.set_current(None)
    other = registered()
    with refused(137):
        other.link_with("acme", {"uid": "u2", "access_token": "t3"})
    user.login(user.get_username(), "secret")
    user.unlink_from("acme")
    User.set_current(None)
    same(User.login_with("acme", {"uid": "u2", "access_token": "t4"}).id != user.id, True)


@case("an anonymous user becomes a real one, and its anonymous id is free again")
def _():
    data = {"id": "8f2ab9c0-1111-4222-8333-944455566677"}
    user = User.login_with("anonymous", dict(data))
    same(User.login_with("anonymous", dict(data)).id, user.id)
    User.set_current(user)
    user.link_with("acme", {"uid": "u3", "access_token": "t"})
    User.set_current(None)
    same(User.login_with("anonymous", dict(data)).id != user.id, True)


@case("mails are asked for of addresses that a user has")
def _():
    registered(email="zoe@example.org")
    User.request_password_reset("zoe@example.org")
    User.request_email_verify("zoe@example.org")
    with refused(205):
        User.request_password_reset("nobody@example.org")
    with refused(205):
        User.request_email_verify("nobody@example.org")


@case("a number and a code register somebody, and log in")
def _():
    number = ask("number", None)
    cloud.request_sms_code(number)
    user = User.signup_or_login_with_mobile_phone(number, ask("code", number))
    same((user.get_mobile_phone_number(), user.get("mobilePhoneVerified")), (number, True))
    ask("later", number)
    User.request_login_sms_code(number)
    same(User.signup_or_login_with_mobile_phone(number, ask("code", number)).id, user.id)
    with refused(603):
        User.signup_or_login_with_mobile_phone(number, "000000")


@case("a number is verified, logs in with the password, and gets a new one by a code")
def _():
    number = ask("number", None)
    user = registered(mobilePhoneNumber=number)
    User.request_mobile_phone_verify(number)
    by_code(User.verify_mobile_phone_number, ask("code", number), number)
    User.set_current(None)
    same(User.login_with_mobile_phone(number, "secret").get("mobilePhoneVerified"), True)
    ask("later", number)
    User.set_current(None)
    User.request_password_reset_by_sms_code(number)
    by_code(User.reset_password_by_sms_code, ask("code", number), "fresh", number)
    same(User.login_with_mobile_phone(number, "fresh").id, user.id)
    with refused(213):
        User.request_password_reset_by_sms_code(ask("number", None))


def by_code(method, *arguments):
    """Up to 2.9 these methods take no number: the code alone says who it is."""
    method(*arguments[: method.__func__.__code__.co_argcount - 1])


@case("a user changes its number")
def _():
    number, other = ask("number", None), ask("number", None)
    user = registered(mobilePhoneNumber=number)
    User.request_change_phone_number(other, ttl=5)
    User.change_phone_number(ask("code", other), other)
    same(User.become(user.get_session_token()).get_mobile_phone_number(), other)


@case("a code for an operation is checked once")
def _():
    number = ask("number", None)
    cloud.request_sms_code(number, params={"ttl": 5, "name": "Notes"})
    code = ask("code", number)
    same(cloud.verify_sms_code(number, code), True)
    with refused(603):
        cloud.verify_sms_code(number, code)


@case("a captcha is shown, and a wrong answer refused")
def _():
    with master_key():
        same(cloud.request_captcha(size=3, width=100, height=40, ttl=60).url.startswith("http"), True)
    captcha = cloud.request_captcha()
    same(captcha.url.startswith("http"), True)
    with refused(1):
        captcha.verify("????")
