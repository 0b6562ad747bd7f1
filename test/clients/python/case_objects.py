"""Objects: their values, what is done to fields, files, relations, and many at once."""

from datetime import datetime, timedelta, timezone

import leancloud
from leancloud import File, GeoPoint, Object

from cases import case, ids, master_key, refused, same, stored

Note = Object.extend("Note")
Page = Object.extend("Page")


def saved(kind, **fields):
    thing = kind(**fields)
    thing.save()
    return thing


@case("a value of every type is stored and read back")
def _():
    page = saved(Page, number=1)
    moment = datetime(2024, 5, 1, 8, 30, 15, 123000, tzinfo=timezone.utc)
    values = {
        "text": "Größe 大小 😀 \"quoted\"\n",
        "empty": "",
        "whole": 9007199254740991,
        "fraction": -0.125,
        "yes": True,
        "no": False,
        "list": [1, "two", [3], {"four": 4}],
        "map": {"deep": {"deeper": [None, True]}},
    }
    note = Note(when=moment, place=GeoPoint(39.9, 116.4), page=page, pages=[page], nothing=None, **values)
    note.set("times", {"first": moment})
    note.save()
    found = stored(note)
    for key, value in values.items():
        same(found.get(key), value)
    same(found.get("when").astimezone(timezone.utc), moment)
    same(found.get("times")["first"].astimezone(timezone.utc), moment)
    same((found.get("place").latitude, found.get("place").longitude), (39.9, 116.4))
    same((type(found.get("page")), found.get("page").id), (Page, page.id))
    same(ids(found.get("pages")), [page.id])
    same((found.has("nothing"), found.get("nothing")), (True, None))


@case("a new object has the time of its creation, and a changed one a later time")
def _():
    note = saved(Note, text="a")
    found = stored(note)
    same(found.is_existed(), True)
    same((found.created_at, found.updated_at), (note.created_at, note.created_at))
    note.set("text", "b")
    note.save()
    same(stored(note).updated_at, note.updated_at)
    same(note.updated_at > note.created_at, True)
    same(abs(datetime.now(timezone.utc) - note.created_at) < timedelta(minutes=5), True)


@case("fields of one write are of the type of the first")
def _():
    saved(Note, counted=1)
    with refused(111):
        saved(Note, counted="one")
    with refused(105):
        saved(Note, **{"bad-name": 1})


@case("fetch_when_save brings what has become of the fields")
def _():
    note = saved(Note, count=1, text="a")
    other = Note.create_without_data(note.id)
    other.increment("count", 5)
    other.save()
    note.increment("count")
    note.save(fetch_when_save=True)
    same((note.get("count"), note.get("text")), (7, "a"))
    whole = Note(text="b")
    whole.save(fetch_when_save=True)
    same((whole.get("text"), whole.updated_at), ("b", whole.created_at))


@case("save with a condition writes only where it holds")
def _():
    note = saved(Note, balance=10)
    note.increment("balance", -8)
    note.save(where=leancloud.Query(Note).greater_than_or_equal_to("balance", 8))
    note.increment("balance", -8)
    with refused(305):
        note.save(where=leancloud.Query(Note).greater_than_or_equal_to("balance", 8))
    same(stored(note).get("balance"), 2)


@case("numbers are incremented, bits set, lists changed, fields removed")
def _():
    note = saved(Note, number=1, bits=0b1100, tags=["a", "b", "a"], gone="soon")
    change = Note.create_without_data(note.id)
    change.increment("number", 2.5)
    change.add("log", "first")
    change.unset("gone")
    change.save()
    for method, key, value in [
        ("bit_and", "bits", 0b0110),
        ("bit_or", "bits", 0b0001),
        ("bit_xor", "bits", 0b1111),
        ("remove", "tags", "a"),
        ("add", "tags", "c"),
        ("add_unique", "tags", "c"),
        ("add_unique", "tags", "d"),
    ]:
        getattr(note, method)(key, value)
        note.save()
    found = stored(note)
    same((found.get("number"), found.get("bits")), (3.5, 0b1010))
    same((found.get("tags"), found.get("log"), found.has("gone")), (["b", "c", "d"], ["first"], False))


@case("a member of a map is changed by its path")
def _():
    note = saved(Note, scores={"mia": 1, "leo": 2})
    change = Note.create_without_data(note.id)
    change.increment("scores.mia", 9)
    change.unset("scores.leo")
    change.save()
    same(stored(note).get("scores"), {"mia": 10})


@case("all fields are cleared")
def _():
    note = stored(saved(Note, text="a", number=1))
    for key in ("text", "number"):
        note.unset(key)
    note.save()
    same((stored(note).has("text"), stored(note).has("number")), (False, False))


@case("an object is fetched with chosen fields, and with what it points to")
def _():
    page = saved(Page, number=3)
    note = saved(Note, text="a", number=1, page=page)
    found = Note.create_without_data(note.id)
    found.fetch(select=["text", "page"], include=["page"])
    same((found.get("text"), found.has("number")), ("a", False))
    same(found.get("page").get("number"), 3)


@case("an object is deleted, and is gone")
def _():
    note = saved(Note, text="a")
    note.destroy()
    same(stored(note).is_existed(), False)
    with refused(101):
        leancloud.Query(Note).equal_to("objectId", note.id).first()


@case("new objects that an object points to are saved before it, in one request")
def _():
    pages = [Page(number=1), Page(number=2)]
    note = saved(Note, page=Page(number=3), pages=pages, book={"last": Page(number=4)})
    found = leancloud.Query(Note).include("page", "pages", "book.last").get(note.id)
    same(found.get("page").get("number"), 3)
    same([page.get("number") for page in found.get("pages")], [1, 2])
    same(found.get("book")["last"].get("number"), 4)


@case("many are saved and deleted in one request")
def _():
    notes = [Note(batch="first", number=number) for number in range(30)]
    Note.save_all(notes)
    same(len(set(ids(notes))), 30)
    for note in notes:
        note.increment("number", 100)
    Note.save_all(notes + [Page(number=5)])
    numbers = leancloud.Query(Note).equal_to("batch", "first").ascending("number").find()
    same([note.get("number") for note in numbers], list(range(100, 130)))
    Note.destroy_all(notes)
    same(leancloud.Query(Note).equal_to("batch", "first").count(), 0)


@case("of many the wrong ones fail by themselves")
def _():
    good, bad = Note(batch="second"), Note(**{"batch": "second", "counted": "one"})
    saved(Note, counted=1)
    with refused(111):
        Note.save_all([bad, good])
    same((good.is_new(), bad.is_new()), (False, True))


@case("a relation has members, is asked both ways, and loses members")
def _():
    pages = [saved(Page, number=number) for number in range(3)]
    note = Note(text="a")
    note.relation("chapters").add(pages[0])
    note.relation("chapters").add(pages[1])
    note.save()
    same(ids(note.relation("chapters").query.find()), ids(pages[:2]))
    change = Note.create_without_data(note.id)
    change.relation("chapters").add(pages[2])
    change.relation("chapters").remove(pages[0])
    change.save()
    unread = Note.create_without_data(note.id)
    same(ids(unread.relation("chapters").query.greater_than("number", 1).find()), [pages[2].id])
    same(ids(stored(note).relation("chapters").query.find()), ids(pages[1:]))
    parents = leancloud.Relation.reverse_query("Note", "chapters", pages[1])
    same(ids(parents.find()), [note.id])


@case("a file that lies elsewhere is a record, and a value")
def _():
    url = "https://example.org/pictures/cat.png?size=2"
    file = File.create_with_url("cat.png", url, meta_data={"width": 640})
    file.save()
    same((type(file.id), file.url), (str, url))
    note = saved(Note, picture=file)
    picture = stored(note).get("picture")
    same((picture.id, picture.name, picture.url), (file.id, "cat.png", url))
    same((picture.metadata["width"], picture.metadata["__source"]), (640, "external"))
    found = File.create_without_data(file.id)
    found.fetch()
    same((found.name, found.url), ("cat.png", url))
    same(leancloud.Query(Note).equal_to("picture", file).count(), 1)
    with master_key():
        same(ids(File.query.equal_to("name", "cat.png").find()), [file.id])
        found.destroy()
        same(File.query.equal_to("name", "cat.png").count(), 0)


@case("a file is saved with the object that has it")
def _():
    note = saved(Note, picture=File.create_with_url("dog.png", "https://example.org/dog.png"))
    same(stored(note).get("picture").url, "https://example.org/dog.png")


@case("the time of the server is asked for without a key")
def _():
    now = leancloud.client.get_server_time()
    same(abs(datetime.now(timezone.utc) - now) < timedelta(minutes=5), True)
    same(leancloud.cloud.get_server_time().tzinfo is not None, True)
