"""Conversations, messages and devices as a server of the app uses them: with the master key."""

from datetime import datetime, timedelta, timezone

import leancloud
from leancloud import Conversation, Installation, Message, Query, SysMessage, cloud, push

from cases import case, ids, master_key, refused, same, stored


@case("conversations of every kind are made, and found")
def _():
    with master_key():
        conversation = Conversation("friends", is_unique=False)
        conversation.add_member("mia")
        conversation.add_member("leo")
        conversation.save()
        found = stored(conversation)
        same((found.name, sorted(found.members), found.is_system), ("friends", ["leo", "mia"], None))
        conversation.add_member("ann")
        conversation.save()
        same(sorted(stored(conversation).members), ["ann", "leo", "mia"])
        system, room = Conversation("news", is_system=True), Conversation("room", is_transient=True)
        system.save()
        room.save()
        same((stored(system).is_system, stored(room).is_transient), (True, True))
        conversation.destroy()


@case("messages are sent, and read in both directions")
def _():
    with master_key():
        conversation = Conversation("history")
        conversation.add_member("mia")
        conversation.save()
        for number in range(3):
            conversation.send("mia", {"_lctype": -1, "_lctext": "message %d" % number})
        conversation.send("leo", "a plain text", push_data={"alert": "a text"})
        found = Message.find_by_conversation(conversation.id, limit=1000, reversed=False)
        same(len(found), 4)
        newest, oldest = found[0], found[-1]
        same((newest.data, newest.from_client, newest.to), ("a plain text", "leo", conversation.id))
        same((newest.conversation_id, newest.bin), (conversation.id, False))
        same((newest.is_conversation, newest.is_room), (True, False))
        same(abs(datetime.now().timestamp() - newest.timestamp) < 300, True)
        same((type(newest.message_id), type(newest.from_ip)), (str, str))
        before = Message.find_by_conversation(
            conversation.id, before_time=newest.timestamp, before_message_id=newest.message_id
        )
        same([message.message_id for message in before], [message.message_id for message in found[1:]])
        after = Message.find_by_conversation(
            conversation.id, reversed=True, before_time=oldest.timestamp, before_message_id=oldest.message_id
        )
        same(len(after), 3)
        same(ids_of(Message.find_by_client("leo")), [newest.message_id])
        same(newest.message_id in ids_of(Message.find_all(limit=1000)), True)


def ids_of(messages):
    return [message.message_id for message in messages]


@case("a system conversation speaks to one, and to all")
def _():
    with master_key():
        system = Conversation("announcements", is_system=True)
        system.save()
        system.send("admin", {"_lctype": -1, "_lctext": "to you"}, to_clients=["mia"])
        system.broadcast("admin", {"_lctype": -1, "_lctext": "to all"}, push_data={"alert": "news"})
        system.send("admin", "passing", to_clients=["mia"], transient=True)


@case("what is sent to nobody is refused")
def _():
    with master_key():
        with refused(4303):
            Conversation.create_without_data("5f0000000000000000000000").send("mia", "hello")
        conversation = Conversation("ordinary")
        conversation.save()
    with refused(401):
        conversation.send("mia", "without the master key")


@case("what clients tell a system conversation is read like a class")
def _():
    with master_key():
        conversation = Conversation("support", is_system=True)
        conversation.save()
        message = SysMessage(conv=conversation, bin=False, msgId="m1", data="hello", timestamp=1714550400000)
        message.set("from", "mia")
        message.set("fromIp", "203.0.113.7")
        message.set("ackAt", 1714550400100)
        message.save()
        found = Query(SysMessage).equal_to("conv", conversation).first()
        same((found.id, found.message_id, found.from_client), (message.id, "m1", "mia"))
        same((found.conversation.id, found.data, found.is_binary), (conversation.id, "hello", False))
        same(found.message_created_at.astimezone(timezone.utc), datetime(2024, 5, 1, 8, tzinfo=timezone.utc))


@case("a device registers, changes and is found")
def _():
    device = Installation(deviceType="android", installationId="a-python-device", channels=["news"])
    device.save()
    device.add_unique("channels", "sport")
    device.set("badge", 3)
    device.save()
    with master_key():
        found = Installation.query.equal_to("installationId", "a-python-device").first()
        same((found.id, sorted(found.get("channels")), found.get("badge")), (device.id, ["news", "sport"], 3))


@case("a device token of another vendor is taken as it is")
def _():
    token = "3f9c1e1e-8a1b-4c2d-9e3f-000000000001"
    Installation(deviceType="android", deviceToken=token).save()
    with master_key():
        same(Installation.query.equal_to("deviceToken", token).count(), 1)


@case("a push is made, and its state fetched")
def _():
    leancloud.Installation(deviceType="android", installationId="a-python-receiver", channels=["python"]).save()
    with master_key():
        query = Query("_Installation").equal_to("channels", "python")
        sent = push.send({"alert": "hello"}, where=query, expiration_interval=60)
        sent.fetch()
        same((type(sent.id), sent.get("status") is not None), (str, True))
        with refused(1):
            sent.save()
        now = datetime.now()
        later = push.send(
            {"alert": {"title": "later", "body": "text"}},
            channels=["python"],
            push_time=now + timedelta(hours=1),
            expiration_time=now + timedelta(hours=2),
            prod="dev",
            flow_control=0,
        )
        later.fetch()
        same(later.id != sent.id, True)
        push.send({"alert": "by CQL"}, cql="select * from _Installation where channels = 'python'")


@case("a function where there is no cloud code fails with 503")
def _():
    with refused(503):
        cloud.run("hello", name="mia")
    with refused(503):
        cloud.rpc("hello", name="mia")
