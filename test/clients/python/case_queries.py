"""Queries: every kind of condition, pages, scans and CQL."""

import leancloud
from leancloud import GeoPoint, Object, Query

from cases import case, ids, master_key, refused, same

Song = Object.extend("Song")
Band = Object.extend("Band")

_bands = [Band(name="Alpha", rank=1), Band(name="Beta", rank=2)]
_songs = []


def songs():
    """Ten songs, made when they are first asked for."""
    if not _songs:
        Band.save_all(_bands)
        for number in range(10):
            song = Song(number=number, title="Song %d" % number, tags=list("abc"[: number % 4]))
            song.set("band", _bands[number % 2])
            song.set("band_name", _bands[number % 2].get("name"))
            song.set("place", GeoPoint(number * 5, number * 5))
            if number >= 5:
                song.set("late", {"from": number})
            if number == 7:
                song.set("text", "first Line\nsecond line")
            _songs.append(song)
        Song.save_all(_songs)
    return Query(Song)


def numbers(query):
    return sorted(song.get("number") for song in query.find())


def table(name, rows):
    """One case: each row has its own query, and what it finds."""

    @case(name)
    def _():
        for number, (build, expected) in enumerate(rows):
            try:
                same(numbers(build(songs())), expected)
            except Exception as error:
                raise AssertionError("row %d: %s" % (number, error)) from error


table(
    "conditions on values",
    [
        (lambda q: q.equal_to("number", 3), [3]),
        (lambda q: q.not_equal_to("number", 3).less_than("number", 5), [0, 1, 2, 4]),
        (lambda q: q.greater_than("number", 2).less_than_or_equal_to("number", 4), [3, 4]),
        (lambda q: q.greater_than_or_equal_to("number", 8), [8, 9]),
        (lambda q: q.contained_in("number", [1, 5, 77]), [1, 5]),
        (lambda q: q.not_contained_in("number", list(range(2, 10))), [0, 1]),
        (lambda q: q.exists("text"), [7]),
        (lambda q: q.does_not_exist("late"), [0, 1, 2, 3, 4]),
        (lambda q: q.equal_to("late.from", 6), [6]),
    ],
)

table(
    "conditions on lists",
    [
        (lambda q: q.equal_to("tags", "c"), [3, 7]),
        (lambda q: q.contains_all("tags", ["a", "b"]), [2, 3, 6, 7]),
        (lambda q: q.size_equal_to("tags", 1), [1, 5, 9]),
        (lambda q: q.contained_in("tags", ["b", "x"]), [2, 3, 6, 7]),
    ],
)

table(
    "conditions on texts",
    [
        (lambda q: q.startswith("title", "Song 1"), [1]),
        (lambda q: q.endswith("title", "9"), [9]),
        (lambda q: q.contains("text", "Line"), [7]),
        (lambda q: q.matched("title", "^song [0-2]$", ignore_case=True), [0, 1, 2]),
        (lambda q: q.matched("text", "^SECOND", ignore_case=True, multi_line=True), [7]),
        (lambda q: q.matched("text", "^second"), []),
    ],
)

table(
    "one or all of several queries",
    [
        (lambda q: Query.or_(Query(Song).less_than("number", 2), Query(Song).equal_to("tags", "c")), [0, 1, 3, 7]),
        (lambda q: Query.and_(Query(Song).less_than("number", 4), Query(Song).equal_to("tags", "c")), [3]),
        (lambda q: Query.or_(Query(Song).exists("text"), Query(Song).equal_to("number", 1)).greater_than("number", 1), [7]),
    ],
)

table(
    "conditions on other objects",
    [
        (lambda q: q.equal_to("band", _bands[0]), [0, 2, 4, 6, 8]),
        (lambda q: q.matches_query("band", Query(Band).equal_to("name", "Beta")), [1, 3, 5, 7, 9]),
        (lambda q: q.does_not_match_query("band", Query(Band).equal_to("name", "Beta")), [0, 2, 4, 6, 8]),
        (lambda q: q.matches_key_in_query("band_name", "name", Query(Band).equal_to("rank", 1)), [0, 2, 4, 6, 8]),
        (lambda q: q.does_not_match_key_in_query("band_name", "name", Query(Band).equal_to("rank", 1)), [1, 3, 5, 7, 9]),
    ],
)

table(
    "conditions on places",
    [
        (lambda q: q.near("place", GeoPoint(20, 20)).limit(1), [4]),
        (lambda q: q.within_kilometers("place", GeoPoint(0, 0), 1000), [0, 1]),
        (lambda q: q.within_kilometers("place", GeoPoint(0, 0), 1700, 500), [1, 2]),
        (lambda q: q.within_miles("place", GeoPoint(0, 0), 600), [0, 1]),
        (lambda q: q.within_radians("place", GeoPoint(0, 0), 0.15), [0, 1]),
        (lambda q: q.within_geo_box("place", GeoPoint(4, 4), GeoPoint(16, 16)), [1, 2, 3]),
        (lambda q: q.within_geo_box("place", (4, 4), (16, 16)), [1, 2, 3]),
    ],
)


@case("results are ordered, in pages, and counted")
def _():
    page = songs().ascending("band_name").add_descending("number").skip(3).limit(3).find()
    same([song.get("number") for song in page], [2, 0, 9])
    same(songs().descending("number").first().get("number"), 9)
    same(songs().less_than("number", 4).limit(1).count(), 4)
    same(songs().limit(0).count(), 10)
    with refused(101):
        songs().equal_to("number", 99).first()


@case("fields are chosen, and pointers filled in")
def _():
    song = songs().select("title", "band").include("band").ascending("number").first()
    same((song.get("title"), song.has("number")), ("Song 0", False))
    same(song.get("band").get("name"), "Alpha")
    same(songs().select("number").get(song.id).get("number"), 0)


@case("a scan goes through all objects, with the master key")
def _():
    with master_key():
        found = [song.get("number") for song in songs().scan(batch_size=3, scan_key="createdAt")]
        same(sorted(found), list(range(10)))
        same(len(list(songs().greater_than("number", 5).scan())), 4)
    with refused(401):
        list(songs().scan())


@case("CQL, with values beside it")
def _():
    songs()
    result = Query.do_cloud_query("select * from Song where number < 3 order by -number")
    same((result.class_name, [song.get("number") for song in result.results]), ("Song", [2, 1, 0]))
    same(type(result.results[0]), Song)
    # One list of values is written as JSON twice.
    for values in ([(3, "Song 3")], [[3, "Song 3"]], (3, "Song 3")):
        found = Query.do_cloud_query("select * from Song where number = ? and title = ?", *values)
        same([song.get("number") for song in found.results], [3])
    same(Query.do_cloud_query("select count(*) from Song where number >= ?", 8).count, 2)
    with refused(300):
        Query.do_cloud_query("select from where")
