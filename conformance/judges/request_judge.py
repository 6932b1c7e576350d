"""Python's requests as a client on that port: multipart forms, compression, events, ranges."""

import hashlib
import os
import sys

import requests

URL = f"http://127.0.0.1:{sys.argv[1]}"
session = requests.Session()


def form():
    content = os.urandom(300_000)
    answer = session.post(
        f"{URL}/upload",
        files={"file": ("../x.bin", content, "application/x-foo"), "none": ("empty", b"", "text/plain")},
        data={"text": "hölle"},
        timeout=30,
    )
    assert answer.status_code == 200, answer.status_code
    parts = {part["name"]: part for part in answer.json()}
    assert parts.keys() == {"file", "none", "text"}, parts.keys()
    assert parts["file"]["fileName"] == "../x.bin" and parts["file"]["type"] == "application/x-foo", parts["file"]
    assert parts["file"]["size"] == len(content)
    assert parts["file"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert parts["none"]["size"] == 0, parts["none"]
    assert parts["text"]["sha256"] == hashlib.sha256("hölle".encode()).hexdigest()


def many_parts():
    fields = [(f"f{n}", (None, "x")) for n in range(3000)]
    answer = session.post(f"{URL}/upload", files=fields, timeout=30)
    assert answer.status_code == 413, answer.status_code


def compression():
    answer = session.get(f"{URL}/text?bytes=20000", timeout=30)
    assert answer.headers.get("Content-Encoding") == "gzip", answer.headers
    assert answer.headers.get("Vary") == "Accept-Encoding", answer.headers
    assert len(answer.content) == 20000
    plain = session.get(f"{URL}/text?bytes=20000", headers={"Accept-Encoding": "identity"}, timeout=30)
    assert "Content-Encoding" not in plain.headers and plain.content == answer.content


def events():
    answer = session.get(f"{URL}/events?n=3", headers={"Last-Event-ID": "1"}, timeout=30)
    assert answer.headers["Content-Type"].startswith("text/event-stream"), answer.headers
    ids = [line for line in answer.text.splitlines() if line.startswith("id:")]
    assert [line.split(":")[1].strip() for line in ids] == ["2", "3"], answer.text


def conditions_and_ranges():
    whole = session.get(f"{URL}/static/big.bin", timeout=30)
    tag = {"If-None-Match": whole.headers["ETag"]}
    assert session.get(f"{URL}/static/big.bin", headers=tag, timeout=30).status_code == 304
    # as a browser's video element does: everything, then from the middle
    for first in (0, len(whole.content) // 2, len(whole.content) - 1):
        asked = {"Range": f"bytes={first}-", "If-Range": whole.headers["ETag"]}
        part = session.get(f"{URL}/static/big.bin", headers=asked, timeout=30)
        assert part.status_code == 206 and part.content == whole.content[first:], first
    beyond = session.get(f"{URL}/static/big.bin", headers={"Range": "bytes=99999999-"}, timeout=30)
    assert beyond.status_code == 416, beyond.status_code


form()
many_parts()
compression()
events()
conditions_and_ranges()
