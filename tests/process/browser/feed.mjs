// A server that has the page's own files and makes up what they are told: as many points, nodes and messages as a test wants.
import http from "node:http";
import {readFileSync} from "node:fs";
import path from "node:path";

const TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"};
// That of src/program/status/status_server.cpp, so that the page is tested under it.
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const AT_ONCE = 2000, TICK = 500;

export class Feed {
  /// `files`: the folder of the page. `points`: at the beginning; `more`: in each tick after that.
  constructor(files, {points = 0, more = 0, nodes = 0, runs = 1, instance = "feed"} = {}) {
    Object.assign(this, {files, more, nodes, runs, instance, number: 1, streams: new Set(), asked: [], points: [], messages: []});
    this.begin = Date.now();
    for (let k = 0; k < points; k++) this.addPoint();
    this.say("info", "a message of a feed that is made up");
    this.server = http.createServer((request, response) => this.answer(request, response));
    this.timer = setInterval(() => this.tick(), TICK);
  }
  listen(port = 0) {
    return new Promise(done => this.server.listen(port, "127.0.0.1", () => done(this.port = this.server.address().port)));
  }
  get url() { return `http://127.0.0.1:${this.port}/`; }
  close() {
    clearInterval(this.timer);
    for (const stream of this.streams) stream.response.destroy();
    this.server.closeAllConnections();
    return new Promise(done => this.server.close(done));
  }

  addPoint() {
    const k = this.points.length;
    this.points.push({number: ++this.number, run: k % this.runs,
                      point: [0.05 * k, 400 * k, 3 + 40 * Math.exp(-k / 3000) + 0.3 * Math.sin(k / 40) ** 2 * Math.exp(-k / 4000),
                              Math.max(1e-7, Math.exp(-k / 900) * (1 + 0.4 * Math.sin(k / 15))), Math.round(k / 20), 2 * k, Math.floor(k / 10)]});
  }
  say(level, text) { this.messages.push({number: ++this.number, time: Date.now() / 1000, level, text}); }
  tick() {
    for (let k = 0; k < this.more; k++) this.addPoint();
    if (this.more && this.points.length % 7 === 0) this.say("warning", "rank 3 (node3, process 13) has not been heard for 3 s");
    for (const stream of this.streams) this.tell(stream);
  }
  event(after) {
    const fresh = this.points.filter(each => each.number > after);
    const cut = fresh.length > AT_ONCE ? fresh[AT_ONCE - 1].number : this.number;
    const runs = [];
    for (let place = 0; place < this.runs; place++) {
      const own = fresh.filter(each => each.run === place && each.number <= cut).map(each => each.point);
      const all = this.points.filter(each => each.run === place);
      if (own.length || after === 0) {
        runs.push({place, name: this.runs > 1 ? "without fold " + place : "", state: "running", now: all.length ? all.at(-1).point : [0, 0, 0, null, 0, 0, 0],
                   points: own});
      }
    }
    const elapsed = (Date.now() - this.begin) / 1000, last = this.points.at(-1)?.point ?? [0, 0, 0, null, 0, 0, 0];
    const event = {whole: after === 0, number: cut, instance: this.instance, elapsed, solving: last[0], stage: "solving", ready: true,
                   line: `${last[0].toFixed(1)} s  lambda 34 of 100, round ${last[5]}, gap ${last[3]}`,
                   figures: [["seconds", String(last[0])], ["event", "barrier"], ["lambda", "0.0123"], ["index", "34"]], runs_total: this.runs, runs_ended: 0,
                   updates: last[1], rounds: last[5], memory: 5e8 + 1e6 * elapsed, memory_peak: 7e8, cpu: 2 * elapsed, end: this.end ?? null, runs,
                   messages: this.messages.filter(each => each.number > after)};
    if (this.nodes) {
      event.nodes = Array.from({length: this.nodes}, (_, rank) => ({
        rank, name: "node" + rank, process: 1000 + rank, roles: "S " + rank + " P " + rank, stage: "running",
        state: rank % 61 === 60 ? "lost" : rank % 37 === 36 ? "silent" : rank % 23 === 22 ? "slow" : "ok",
        last_word: Math.random(), updates: Math.round(1e6 * elapsed + 1e4 * Math.random()), blocks: Math.round(1e3 * elapsed),
        messages: Math.round(1e3 * elapsed), bytes: 3e6 * elapsed, running: elapsed, busy: 0.9 * elapsed, waiting: 0.1, memory: 2e8 + 1e5 * rank}));
    }
    if (after === 0) event.program = {command: "lasso path", version: "0.1.0", build: "0123456789abcdef", host: "feed", process: 42, started: this.begin / 1000};
    return event;
  }
  tell(stream) {
    do {
      const event = this.event(stream.told);
      stream.told = event.number;
      stream.response.write(`id: ${this.instance}:${event.number}\ndata: ${JSON.stringify(event)}\n\n`);
    } while (stream.told < this.number);
  }
  answer(request, response) {
    const name = request.url === "/" ? "index.html" : request.url.slice(1);
    if (name === "events") {
      const id = (request.headers["last-event-id"] ?? "").split(":");
      const told = id[0] === this.instance ? Number(id[1]) : 0;
      this.asked.push(told);
      response.writeHead(200, {"Content-Type": "text/event-stream", "Cache-Control": "no-store"});
      response.write("retry: 1000\n\n");
      const stream = {response, told};
      this.streams.add(stream);
      response.on("close", () => this.streams.delete(stream));
      return this.tell(stream);
    }
    try {
      const body = readFileSync(path.join(this.files, path.basename(name)));
      response.writeHead(200, {"Content-Type": TYPES[path.extname(name)] ?? "text/plain", "Content-Security-Policy": POLICY});
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  }
}
