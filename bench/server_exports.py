#!/usr/bin/env python3
"""What others feel of an export: a study with a million answers, and while the researcher's page downloads
them and asks for the status, annotators ask for pictures and pages. Then SIGTERM with five exports
waiting. Exit status 1 below a bar.

    bench/server_exports.py PROGRAM [--answers N]
"""
import argparse
import http.client
import json
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MOST_PICTURE_MS, MOST_STOP_SECONDS = 200, 2
PASSWORD = "correct horse battery"


def softlab(program, *words, **more):
    return subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True, **more).stdout


class Server:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "study", "serve", folder, "--port", "0", "--admin-port", "0",
                                         "--per-address", "0"], stdout=subprocess.PIPE, text=True)
        ports = {}
        while len(ports) < 2:
            name, _, rest = self.process.stdout.readline().partition(":")
            if name in ("annotators", "researcher"):
                ports[name] = int(rest.rstrip("/\n").rsplit(":", 1)[1])
        self.annotators, self.researcher = ports["annotators"], ports["researcher"]

    def stop(self):
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=120)
        return time.monotonic() - begun, status


def ask(port, path, cookie=None, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    headers = {"Content-Type": "application/json"} if body else {}
    if cookie:
        headers["Cookie"] = cookie
    connection.request("POST" if body else "GET", path, body, headers)
    reply = connection.getresponse()
    content, set_cookie = reply.read(), reply.getheader("Set-Cookie")
    connection.close()
    return reply.status, content, set_cookie.split(";")[0] if set_cookie else None


def multiply(folder, answers):
    """Copies of the answers of those who answered, under new ids, until there are so many."""
    db = sqlite3.connect(folder / "study.db")
    have = db.execute("SELECT COUNT(*) FROM answers").fetchone()[0]
    copies = (answers - have + have - 1) // have
    db.execute("""INSERT INTO answers(client_id, session, trial, practice, revision, item, body, received, elapsed, repeat)
                  WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ?)
                  SELECT randomblob(16), session, trial, practice, revision + n * 1000, item, body, received, elapsed, repeat
                  FROM answers, copy LIMIT ?""", (copies, answers - have))
    db.commit()
    count = db.execute("SELECT COUNT(*) FROM answers").fetchone()[0]
    db.close()
    return count


def pictures_while(server, busy, cookie, names):
    """Milliseconds of each picture and page until nothing is busy any more."""
    times, turn = [], 0
    while any(thread.is_alive() for thread in busy):
        for path in (f"/image/{names[turn % len(names)]}", "/web/style.css"):
            begun = time.monotonic()
            status, _, _ = ask(server.annotators, path, cookie)
            if status != 200:
                raise RuntimeError(f"{path}: {status}")
            times.append(1000 * (time.monotonic() - begun))
        turn += 1
        time.sleep(.005)
    return sorted(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--answers", type=int, default=1000000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "study"
        softlab(options.program, "study", "init", folder, "--images", "shapes:n=200,size=32", "--screen", "hard",
                "--batch", 20, "--annotators", 1000)
        softlab(options.program, "study", "password", folder, input=PASSWORD + "\n")
        server = Server(options.program, folder)
        softlab(options.program, "study", "simulate", f"http://127.0.0.1:{server.annotators}/", "--annotators", 40,
                "--speed", 0, "--count")
        server.stop()
        count = multiply(folder, options.answers)
        server = Server(options.program, folder)
        _, _, researcher = ask(server.researcher, "/admin/login", body=json.dumps({"password": PASSWORD}))
        _, _, visitor = ask(server.annotators, "/")
        for path, body in (("consent", {"version": "1", "agreed": True}), ("instructions", {"pages": [1]}),
                           ("check", {"answers": [0, 0]})):
            ask(server.annotators, f"/api/{path}", visitor, json.dumps(body))
        session = json.loads(ask(server.annotators, "/api/session", visitor)[1])
        names = [item["image"].rsplit("/", 1)[-1] for item in session["items"]]
        sizes = []
        busy = [threading.Thread(target=lambda p=path: sizes.append(len(ask(server.researcher, p, researcher)[1])))
                for path in ("/admin/export/answers", "/admin/export/changes", "/admin/status")]
        begun = time.monotonic()
        for thread in busy:
            thread.start()
        times = pictures_while(server, busy, visitor, names)
        p99 = times[len(times) * 99 // 100]
        print(f"{count} answers: two exports and a status ({sum(sizes) / 1e6:.0f} MB) in {time.monotonic() - begun:.1f} s; "
              f"{len(times)} pictures and pages meanwhile: median {times[len(times) // 2]:.1f} ms, p99 {p99:.1f} ms "
              f"(at most {MOST_PICTURE_MS}), slowest {times[-1]:.1f} ms")
        waiting = [threading.Thread(target=lambda: ask(server.researcher, "/admin/export/changes", researcher), daemon=True)
                   for _ in range(5)]
        threading.excepthook = lambda _: None
        for thread in waiting:
            thread.start()
        time.sleep(1)
        seconds, status = server.stop()
        print(f"SIGTERM with five exports waiting: {seconds:.2f} s (at most {MOST_STOP_SECONDS}), exit status {status}")
        good = p99 <= MOST_PICTURE_MS and seconds <= MOST_STOP_SECONDS and status == 0
        if not good:
            print("  BELOW THE BAR")
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
