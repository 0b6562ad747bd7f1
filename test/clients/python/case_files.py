"""Files: their bytes, sent as to each provider, and what their records say."""

import io
import tempfile
import urllib.error
import urllib.request

import leancloud
from leancloud import File, Object

from cases import case, master_key, provider, refused, same, stored

Note = Object.extend("FileNote")


def content(size):
    return bytes((place * 31 + (place >> 8)) & 0xFF for place in range(size))


def fetched(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def comes_back(size, file):
    if fetched(file.url) != content(size):
        raise AssertionError("other bytes behind %s" % file.url)
    found = File.create_without_data(file.id)
    found.fetch()
    same((found.name, found.url, found.metadata["size"]), (file.name, file.url, size))


def cases_of(name):
    for size in (1, 300_000, 5_000_001):

        @case("a file of %d bytes comes back, as one of %s" % (size, name))
        def _(size=size):
            with provider(name):
                file = File("报告 1.bin", io.BytesIO(content(size)))
                file.save()
                comes_back(size, file)

    @case("a file of the disk comes back, as one of %s" % name)
    def _():
        with provider(name), tempfile.TemporaryFile() as source:
            source.write(content(70_000))
            file = File("磁盘.bin", source)
            file.save()
            comes_back(70_000, file)


cases_of("s3")
cases_of("qcloud")


@case("a file keeps its own data, its type, and is in an object")
def _():
    file = File("a.bin", io.BytesIO(content(10)), "text/x-cat")
    file.metadata["color"] = "黑"
    file.save()
    note = Note(file=file)
    note.save()
    found = stored(note).get("file")
    same((found.id, found.url, found.metadata["color"]), (file.id, file.url, "黑"))
    same(urllib.request.urlopen(file.url).headers.get_content_type(), "text/x-cat")


@case("a file is deleted with the master key")
def _():
    file = File("gone.bin", io.BytesIO(content(100)))
    file.save()
    with refused(403):
        file.destroy()
    same(len(fetched(file.url)), 100)
    with master_key():
        file.destroy()
    try:
        fetched(file.url)
    except urllib.error.HTTPError as error:
        same(error.code, 404)
    else:
        raise AssertionError("it is still there")
