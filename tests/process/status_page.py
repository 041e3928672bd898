#!/usr/bin/env python3
"""--status and --metrics-file with real runs: the page and its events, metrics in Prometheus' format, probes, who is refused,
limits, wrong addresses, and the same bits with and without.

usage: status_page.py BIN_DIR SOURCE_DIR [unittest arguments]

Answers are read by a client of this test: sockets and text. Where promtool is there it reads the metrics as well.
"""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from story import fit_command, wait_for

BIN = SOURCE = None  # set below
LIMIT = 60
SAMPLE = re.compile(r'^(\w+)(\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})? (-?[0-9.e+-]+)$')


def ask(port, target="/", host=None, method="GET", head="", body=b"", limit=LIMIT):
    """Status code, headers, body of one request."""
    with socket.create_connection(("127.0.0.1", port), limit) as wire:
        host = f"127.0.0.1:{port}" if host is None else host
        wire.sendall(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{head}Connection: close\r\n\r\n".encode() + body)
        data = b""
        while piece := wire.recv(65536):
            data += piece
    top, _, rest = data.partition(b"\r\n\r\n")
    lines = top.decode().split("\r\n")
    return int(lines[0].split()[1]), dict(line.split(": ", 1) for line in lines[1:]), rest.decode()


class Events:
    """A stream that is read by the line."""

    def __init__(self, port, last="", target="/events"):
        self.wire = socket.create_connection(("127.0.0.1", port), LIMIT)
        head = f"Last-Event-ID: {last}\r\n" if last else ""
        self.wire.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\n{head}\r\n".encode())
        self.file = self.wire.makefile("r", encoding="utf-8", newline="\n")
        while self.file.readline().strip():
            pass
        self.last = ""

    def __iter__(self):
        for line in self.file:
            if line.startswith("id: "):
                self.last = line[4:].strip()
            elif line.startswith("data: "):
                yield json.loads(line[6:])

    def close(self):
        self.file.close()
        self.wire.close()


def metrics_of(text):
    """{name with labels: value}; what the format asks for, told from its description."""
    found, typed, of = {}, {}, None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            of = line.split()[2]
            assert of not in typed, f"{of} comes twice"
        elif line.startswith("# TYPE "):
            assert line.split()[2] == of, line
            typed[of] = line.split()[3]
        else:
            match = SAMPLE.match(line)
            assert match and match[1] == of, line
            assert (typed[of] == "counter") == match[1].endswith("_total"), line
            found[match[1] + (match[2] or "")] = float(match[3])
    return found


class Run:
    """A program with a page."""

    def __init__(self, command, address="127.0.0.1:0"):
        self.process = subprocess.Popen([*map(str, command), "--status", address], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.said = []
        self.url = None
        while self.url is None:
            line = self.process.stderr.readline()
            if not line:
                raise AssertionError(f"no page: {self.said}")
            self.said.append(line)
            found = re.search(r"status at (http://(\S+?):(\d+)(/\S*))", line)
            if found:
                self.url, self.port, self.path = found[1], int(found[3]), found[4]
        self.reader = threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def end(self):
        output = self.process.stdout.read()
        self.process.wait(LIMIT)
        self.reader.join(LIMIT)
        return output, "".join(self.said)


class StatusPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strads-status-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_of(self, command, **more):
        run = Run(command, **more)
        self.addCleanup(run.process.stderr.close)
        self.addCleanup(run.process.stdout.close)
        self.addCleanup(lambda: run.process.poll() is None and (run.process.kill(), run.process.wait()))
        return run

    def fit(self, name="out", *more):
        return [*fit_command(BIN, SOURCE, str(self.folder / name)), *more]

    def long_fit(self, *more):
        """Of some seconds: rounds without end, that a signal ends."""
        command = self.fit("long", *more)
        command[command.index("--max-rounds") + 1] = "0"
        return [*command, "--tolerance", "0", "--max-seconds", "50"]

    def hash_of(self, name):
        return json.loads((self.folder / name / "summary.json").read_text())["beta_hash"]

    def test_shows_a_run_from_its_beginning_to_its_end(self):
        file = self.folder / "strads.prom"
        run = self.run_of(self.fit("shown", "--processes", "2", "--metrics-file", str(file)))
        events = Events(run.port)
        self.addCleanup(events.close)
        seen = list(events)
        first, last = seen[0], seen[-1]
        self.assertTrue(first["whole"])
        self.assertEqual(first["program"]["command"], "lasso fit")
        points = [point for event in seen for each in event["runs"] for point in each["points"]]
        self.assertGreater(len(points), 10)
        self.assertEqual(points, sorted(points))
        output, _ = run.end()
        self.assertEqual(last["end"]["code"], run.process.returncode, output)
        summary = json.loads((self.folder / "shown/summary.json").read_text())
        self.assertEqual(last["rounds"], summary["rounds"])
        self.assertEqual(last["updates"], summary["updates"])
        self.assertAlmostEqual(points[-1][2] / summary["objective"], 1, places=9)
        nodes = [event["nodes"] for event in seen if "nodes" in event][-1]
        self.assertEqual([node["name"].partition("/")[2] for node in nodes], ["1", "2"])
        texts = [message["text"] for event in seen for message in event["messages"]]
        self.assertIn("lasso fit, strads", texts[0])
        numbers = [message["number"] for event in seen for message in event["messages"]]
        self.assertEqual(numbers, sorted(set(numbers)))

        metrics = metrics_of(file.read_text())
        self.assertEqual(metrics["strads_rounds_total"], summary["rounds"])
        self.assertEqual(metrics["strads_exit_code"], run.process.returncode)
        self.assertEqual(metrics['strads_nonzeros{run="0",name=""}'], summary["nonzeros"])
        self.assertEqual(metrics['strads_nodes{state="lost"}'], 0)

        subprocess.run(self.fit("alone"), capture_output=True, timeout=LIMIT)
        self.assertEqual(self.hash_of("shown"), self.hash_of("alone"))

    def test_answers_probes_and_scrapes_while_it_runs(self):
        run = self.run_of(self.long_fit())
        deadline = time.monotonic() + LIMIT
        while ask(run.port, "/readyz")[0] != 200 and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(ask(run.port, "/healthz"), ask(run.port, "/healthz?x=1"))
        self.assertEqual(ask(run.port, "/healthz")[2], "ok\n")
        code, head, text = ask(run.port, "/metrics")
        self.assertEqual((code, head["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        metrics = metrics_of(text)
        self.assertEqual(metrics['strads_stage_info{stage="solving"}'], 1)
        self.assertGreater(metrics["process_resident_memory_bytes"], 1e6)
        if shutil.which("promtool"):
            told = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual((told.returncode, told.stdout + told.stderr), (0, ""))
        code, head, text = ask(run.port)
        self.assertEqual((code, text[:15]), (200, "<!doctype html>"))
        self.assertIn("default-src 'none'", head["Content-Security-Policy"])
        for name in re.findall(r'(?:src|href)="([^":#]+)"', text):
            self.assertEqual(ask(run.port, "/" + name)[0], 200, name)
        # A page whose connection was lost says what it has.
        events = Events(run.port)
        seen = [event for event, _ in zip(events, range(2))]
        events.close()
        again = Events(run.port, last=events.last)
        self.addCleanup(again.close)
        more = next(iter(again))
        self.assertFalse(more["whole"])
        self.assertGreater(more["number"], seen[-1]["number"])
        other = Events(run.port, last="0123:5")
        self.addCleanup(other.close)
        self.assertTrue(next(iter(other))["whole"])
        run.process.terminate()
        run.end()
        self.assertEqual(run.process.returncode, 3)

    def test_takes_no_more_than_it_has_to(self):
        run = self.run_of(self.long_fit())
        self.assertEqual(ask(run.port, "/metrics", host="evil.example")[0], 421)
        self.assertEqual(ask(run.port, "/", host="127.0.0.1.evil.example:80")[0], 421)
        self.assertEqual(ask(run.port, "/healthz", host="")[0], 421)
        self.assertEqual(ask(run.port, "/", host="[::1]")[0], 200)
        code, head, _ = ask(run.port, "/metrics", method="POST")
        self.assertEqual((code, head["Allow"]), (405, "GET, HEAD"))
        self.assertEqual(ask(run.port, "/", method="GET", head="Content-Length: 4\r\n", body=b"abcd")[0], 400)
        code, head, body = ask(run.port, "/", method="HEAD")
        self.assertEqual((code, body), (200, ""))
        self.assertGreater(int(head["Content-Length"]), 1000)
        self.assertEqual(ask(run.port, "/../etc/passwd")[0], 404)
        self.assertEqual(ask(run.port, "/", head="X: " + "x" * 9000 + "\r\n")[0], 400)
        held = [socket.create_connection(("127.0.0.1", run.port), LIMIT) for _ in range(70)]
        time.sleep(0.2)
        shut = 0
        for wire in held:
            wire.settimeout(0.01)
            try:
                shut += wire.recv(1) == b""
            except TimeoutError:
                pass
            except ConnectionError:
                shut += 1
            wire.close()
        self.assertGreaterEqual(shut, 6)
        time.sleep(0.2)
        self.assertEqual(ask(run.port, "/healthz")[0], 200)
        run.process.terminate()
        run.end()

    def test_asks_for_a_token_beyond_loopback(self):
        run = self.run_of(self.long_fit(), address="0.0.0.0:0")
        self.assertRegex(run.path, "^/[0-9a-f]{32}/$")
        for target in ("/", "/metrics", "/events", ("/1" if run.path[1] == "0" else "/0") + run.path[2:], run.path[:-2] + "/metrics", "/" + "0" * 32 + "/"):
            self.assertEqual(ask(run.port, target, host="any.example")[0], 404, target)
        self.assertEqual(ask(run.port, run.path, host="any.example")[0], 200)
        self.assertEqual(ask(run.port, run.path + "metrics")[0], 200)
        code, head, _ = ask(run.port, run.path[:-1])
        self.assertEqual((code, head["Location"]), (308, run.path))
        self.assertEqual(ask(run.port, "/healthz", host="any.example")[0], 200)
        run.process.terminate()
        _, said = run.end()
        self.assertEqual(said.count(run.path), 1)
        self.assertNotIn(run.path.strip("/"), (self.folder / "long/log.txt").read_text())

    def test_refuses_what_is_wrong_before_any_work(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        port = taken.getsockname()[1]
        for address, words in ((f"127.0.0.1:{port}", "Address already in use"), ("127.0.0.1:70000", "none from 0 to 65535"),
                               ("nowhere.example:80", "no address"), ("192.0.2.1:0", "Cannot assign"), ("127.0.0.1", "port"),
                               (":80", "no address")):
            done = subprocess.run([*self.fit("none"), "--status", address], capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual((done.returncode, done.stdout), (2, ""), address)
            self.assertIn(words, done.stderr)
            self.assertFalse((self.folder / "none").exists())
            node = subprocess.run([os.path.join(BIN, "stradsd"), "--join", f"ipc://{self.folder}/no", "--status", address],
                                  capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual(node.returncode, 2, node.stderr)
        done = subprocess.run([*self.fit("none"), "--metrics-file", str(self.folder / "none/a.prom")], capture_output=True, text=True,
                              timeout=LIMIT)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_shows_a_node_and_the_folds_of_a_cross_validation(self):
        endpoint = f"ipc://{self.folder}/driver"
        os.chmod(self.folder, 0o700)
        command = [os.path.join(BIN, "lasso"), "cv", "--x", SOURCE / "tests/datasets/diabetes/X.csv.gz", "--y",
                   SOURCE / "tests/datasets/diabetes/y.csv", "--folds", "4", "--lambdas", "20", "--listen", endpoint, "--nodes", "1",
                   "--endpoint-file", self.folder / "endpoint"]
        driver = self.run_of(command)
        wait_for(str(self.folder / "endpoint"), driver.process)
        self.assertEqual(ask(driver.port, "/readyz")[0], 503)
        events = Events(driver.port)
        self.addCleanup(events.close)
        node = self.run_of([os.path.join(BIN, "stradsd"), "--join", endpoint, "--name", "here"])
        node_events = Events(node.port)
        self.addCleanup(node_events.close)
        seen, of_node = list(events), list(node_events)
        output, _ = driver.end()
        node.end()
        self.assertEqual(driver.process.returncode, 0, output)
        self.assertEqual(of_node[-1]["end"]["code"], 0)
        self.assertTrue([each for event in of_node for each in event["messages"] if each["text"].startswith("here: ")])
        names = {each["place"]: each["name"] for event in seen for each in event["runs"]}
        self.assertEqual(names, {0: "all samples", 1: "without fold 1", 2: "without fold 2", 3: "without fold 3", 4: "without fold 4"})
        self.assertEqual((seen[-1]["runs_total"], seen[-1]["runs_ended"]), (5, 5))
        states = {each["place"]: each["state"] for event in seen for each in event["runs"]}
        self.assertEqual(set(states.values()), {"converged"})
        self.assertEqual([each["name"] for event in seen if "nodes" in event for each in event["nodes"]][-1], "here")


if __name__ == "__main__":
    BIN, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
