#!/usr/bin/env python3
"""Durable saves per second of a study in SQLite with one server, and in PostgreSQL with one and two, also if it is
a network away. Simulated annotators answer as fast as they can; every save is acknowledged after its commit. All
traffic stays on this machine. PostgreSQL runs in a temporary folder with fsync on; the network is a relay that holds
all bytes for half of a round trip.

    bench/server_databases.py PROGRAM [--annotators N] [--rounds N] [--round-trip MS]
"""
import argparse
import glob
import json
import os
import queue
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path


class Postgres:
    """A cluster of its own. PostgreSQL refuses to run as root."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="softlab-postgres-")
        os.chmod(self.folder, 0o755)
        self.bin = Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.before = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.before = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        data = f"{self.folder}/data"
        subprocess.run([*self.before, self.bin / "initdb", "-D", data, "-A", "trust", "-U", "softlab", "--no-sync",
                        "--locale=C"], check=True, **quiet)
        self.process = subprocess.Popen([*self.before, self.bin / "postgres", "-D", data, "-c", "listen_addresses=",
                                         "-c", f"unix_socket_directories={self.folder}"], **quiet)
        while self.sql("SELECT 1") != 0:
            time.sleep(.1)

    def sql(self, text):
        return subprocess.run([self.bin / "psql", "-X", "-q", "-h", self.folder, "-U", "softlab", "-d", "postgres",
                               "-c", text], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def url(self, schema, folder=None):
        self.sql(f"CREATE SCHEMA {schema}")
        return (f"postgresql:///postgres?host={folder or self.folder}&user=softlab"
                f"&options=-csearch_path%3D{schema}")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder)


class Relay:
    """A way to a server's socket that takes `seconds` in each direction."""

    NAME = ".s.PGSQL.5432"

    def __init__(self, server, seconds):
        self.server, self.seconds, self.folder = f"{server}/{self.NAME}", seconds, tempfile.mkdtemp()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{self.folder}/{self.NAME}")
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.server)
            for source, target in ((near, far), (far, near)):
                held = queue.SimpleQueue()
                threading.Thread(target=self.take, args=(source, held), daemon=True).start()
                threading.Thread(target=self.give, args=(held, target), daemon=True).start()

    def take(self, source, held):
        data = b"more"
        while data:
            data = source.recv(1 << 16)
            held.put((time.monotonic() + self.seconds, data))

    @staticmethod
    def give(held, target):
        while True:
            due, data = held.get()
            time.sleep(max(0, due - time.monotonic()))
            if not data:
                target.shutdown(socket.SHUT_WR)
                return
            try:
                target.sendall(data)
            except BrokenPipeError:
                return


def serve(program, folder):
    process = subprocess.Popen([program, "study", "serve", folder, "--port", "0", "--admin-port", "0",
                                "--per-address", "0"], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        found = re.match(r"annotators: *(http://\S+)", line)
        if found:
            return process, found[1]
    sys.exit(f"{folder}: the server did not start")


def measure(program, folder, n_servers, annotators, seed):
    """Acknowledged answers per second, and the median and 99th percentile of a save in ms."""
    servers = [serve(program, folder) for _ in range(n_servers)]
    clients = [subprocess.Popen([program, "study", "simulate", url, "--study", folder, "--count", "--annotators",
                                 str(annotators // n_servers), "--at-once", str(annotators // n_servers), "--speed",
                                 "0", "--no-images", "--seed", str(seed + i), "--json", "--quiet"],
                                stdout=subprocess.PIPE, text=True) for i, (_, url) in enumerate(servers)]
    results = [json.loads(client.communicate()[0]) for client in clients]
    for process, _ in servers:
        process.send_signal(signal.SIGTERM)
        process.wait()
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--annotators", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--round-trip", type=float, default=1, metavar="MS")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    if "libpq" not in subprocess.run([program, "version", "--json"], stdout=subprocess.PIPE, text=True).stdout:
        print("left out: this softlab was built without PostgreSQL")
        return
    if not glob.glob("/usr/lib/postgresql/*/bin/postgres"):
        print("left out: no PostgreSQL server (tools/bootstrap scale installs it)")
        return
    postgres = Postgres()
    relay = Relay(postgres.folder, options.round_trip / 2000)
    away = f"PostgreSQL {options.round_trip:g} ms away"
    print(f"{options.annotators} annotators at once, median of {options.rounds}")
    for number, (name, database, n_servers) in enumerate((
            ("SQLite", None, 1), ("PostgreSQL", postgres.folder, 1), ("PostgreSQL", postgres.folder, 2),
            (away, relay.folder, 1), (away, relay.folder, 2))):
        rates = []
        for turn in range(options.rounds):
            with tempfile.TemporaryDirectory() as scratch:
                folder = f"{scratch}/study"
                subprocess.run([program, "study", "init", folder, "--images", "shapes:n=400,size=16", "--batch", "200",
                                "--annotators", "10000", "--screen", "hard", "--contact", "Ada, ada@example.org",
                                "--quiet"], check=True, stdout=subprocess.DEVNULL)
                if database:
                    subprocess.run([program, "study", "migrate", folder, "--to",
                                    postgres.url(f"s{number}_{turn}", database)], check=True,
                                   stdout=subprocess.DEVNULL)
                results = measure(program, folder, n_servers, options.annotators, 100 * turn)
                rates.append(sum(one["answers"] / one["seconds"] for one in results))
        print(f"{name}, {n_servers} server{'s' if n_servers > 1 else ''}: {statistics.median(rates):.0f} saves/s "
              f"({min(rates):.0f} to {max(rates):.0f})", flush=True)
    postgres.stop()
    shutil.rmtree(relay.folder)


if __name__ == "__main__":
    main()
