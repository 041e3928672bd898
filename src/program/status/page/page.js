// The status page. Events come from /events (src/program/status/status_json.cpp has their names); nothing is asked for
// otherwise. All text of others goes through textContent.
"use strict";

const POINTS_MAX = 20000;  // of a run, in memory; charts get at most two a pixel
const MESSAGES_MAX = 500;
const ROWS_AT_ONCE = 40;   // rows of a table that one turn of the browser changes
const DRAW_EVERY = 400;    // milliseconds between two drawings
const SIGNS = {ok: "●", slow: "◐", silent: "○", lost: "✕", left: "–"};
const WORST_FIRST = ["lost", "silent", "slow", "ok", "left"];
const SECONDS = 0, UPDATES = 1, OBJECTIVE = 2, GAP = 3, NONZEROS = 4, ROUNDS = 5;

const $ = id => document.getElementById(id);
const state = {instance: "", number: 0, message: 0, runs: new Map(), nodes: null, last: null, heard: 0, against: SECONDS, run: null, followed: true};

// --- numbers for people ---

function short(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(Math.max(0, digits - 2)).replace("e+", "e");
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(digits)));
}
function count(value) {
  if (value < 1e4) return String(Math.round(value));
  for (const [unit, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (value >= unit) return (value / unit).toPrecision(3) + " " + name;
  }
  return String(value);
}
function bytes(value) {
  if (!value) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let k = 0;
  for (; value >= 1024 && k < 4; k++) value /= 1024;
  return (k === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)) + " " + units[k];
}
function duration(seconds) {
  if (seconds < 10) return seconds.toFixed(1) + " s";
  if (seconds < 120) return Math.round(seconds) + " s";
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  return hours ? hours + " h " + minutes % 60 + " min" : minutes + " min " + Math.round(seconds % 60) + " s";
}

// --- small changes of the document ---

function set(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
function make(name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}
/// Terms and descriptions; only what changed is touched.
function fillList(list, pairs) {
  while (list.children.length > pairs.length) list.lastChild.remove();
  pairs.forEach(([name, value], k) => {
    let pair = list.children[k];
    if (!pair) {
      pair = make("div");
      pair.append(make("dt"), make("dd"));
      list.append(pair);
    }
    set(pair.children[0], name);
    set(pair.children[1], value);
  });
}
/// Rows of a table, a few in each turn of the browser, so that no turn is long. `cells`: [text, class] of an item.
function fillTable(body, items, cells) {
  const turn = (body.turn || 0) + 1;
  body.turn = turn;
  const step = from => {
    if (body.turn !== turn) return;  // newer ones are under way
    for (let k = from; k < Math.min(from + ROWS_AT_ONCE, items.length); k++) {
      const texts = cells(items[k]);
      let row = body.children[k];
      if (!row) {
        row = make("tr");
        texts.forEach((_, c) => {
          const cell = make(c === 0 ? "th" : "td");
          if (c === 0) cell.scope = "row";
          row.append(cell);
        });
        body.append(row);
      }
      texts.forEach(([text, className], c) => {
        const cell = row.children[c];
        set(cell, text);
        if (cell.className !== (className || "")) cell.className = className || "";
      });
    }
    if (from + ROWS_AT_ONCE < items.length) return setTimeout(step, 0, from + ROWS_AT_ONCE);
    while (body.children.length > items.length) body.lastChild.remove();
  };
  step(0);
}

// --- charts ---

/// At most two points a pixel: the least and the largest value of each, so that no peak is lost.
function thin(xs, ys, pixels) {
  if (xs.length <= 2 * pixels) return [xs, ys];
  const first = xs[0], width = (xs[xs.length - 1] - first) / pixels || 1;
  const outX = [], outY = [];
  for (let begin = 0; begin < xs.length;) {
    const slot = Math.floor((xs[begin] - first) / width);
    let least = -1, most = -1, end = begin;
    for (; end < xs.length && Math.floor((xs[end] - first) / width) === slot; end++) {
      if (ys[end] === null) continue;
      if (least < 0 || ys[end] < ys[least]) least = end;
      if (most < 0 || ys[end] > ys[most]) most = end;
    }
    if (least < 0) least = most = begin;
    for (const k of least < most ? [least, most] : least > most ? [most, least] : [least]) {
      outX.push(xs[k]);
      outY.push(ys[k]);
    }
    begin = end;
  }
  if (outX[outX.length - 1] !== xs[xs.length - 1]) {
    outX.push(xs[xs.length - 1]);
    outY.push(ys[ys.length - 1]);
  }
  return [outX, outY];
}

/// With as many digits as it takes to tell two ticks apart.
function onAxis(tick, step) {
  const size = Math.max(Math.abs(tick), step);
  if (size >= 1e6 || size < 1e-3) return short(tick, 2 + Math.max(1, Math.ceil(Math.log10(size / step))));
  return tick.toFixed((String(Number(step.toPrecision(3))).split(".")[1] || "").length);
}
const powersOfTen = (_, ticks) => ticks.map(tick => Number.isInteger(Number(Math.log10(tick).toFixed(6))) ? tick : null);

class Chart {
  constructor(id, title, column, logarithmic) {
    this.box = $(id);
    this.caption = $(id + "-caption");
    this.title = title;
    this.column = column;
    this.logarithmic = logarithmic;
    this.plot = null;
  }
  colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  make(data) {
    const seconds = state.against === SECONDS;
    const axis = {stroke: this.colour("--soft"), grid: {stroke: this.colour("--grid"), width: 1}, ticks: {stroke: this.colour("--grid")},
                  font: "12px system-ui, sans-serif"};
    const marks = this.logarithmic ? {filter: powersOfTen} : {};
    const options = {
      width: Math.max(200, this.box.clientWidth), height: this.box.clientHeight,
      cursor: {y: false, drag: {x: false, y: false}}, legend: {show: false},
      scales: {x: {time: false}, y: this.logarithmic ? {distr: 3} : {}},
      axes: [
        {...axis, label: seconds ? "seconds of solving" : "updates", labelSize: 18, labelFont: axis.font, size: 34,
         values: (_, ticks) => ticks.map(tick => seconds ? short(tick) : count(tick))},
        {...axis, size: 58, grid: {...axis.grid, ...marks}, ticks: {...axis.ticks, ...marks}, values: (_, ticks, _axis, _space, step) => ticks.map(tick => tick === null ? "" : this.logarithmic ? short(tick, 3) : onAxis(tick, step))},
      ],
      series: [{}, {stroke: this.colour("--blue"), width: 1.75, points: {show: false}, spanGaps: true}],
    };
    this.plot = new uPlot(options, data, this.box);
    this.drawnAgainst = state.against;
  }
  draw(run) {
    const xs = run ? run.columns[state.against] : [];
    let ys = run ? run.columns[this.column] : [];
    if (this.logarithmic) ys = ys.map(y => y > 0 ? y : null);
    const known = ys.some(y => y !== null);
    const last = known ? ys.findLast(y => y !== null) : null;
    set(this.caption, this.title + (known ? ": " + short(last, 5) : ": not known yet"));
    const data = thin(xs, ys, Math.max(200, this.box.clientWidth));
    if (this.plot && this.drawnAgainst !== state.against) this.drop();
    if (!known) return this.drop();
    if (this.plot) this.plot.setData(data);
    else this.make(data);
  }
  drop() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
  }
  resize() {
    if (this.plot) this.plot.setSize({width: Math.max(200, this.box.clientWidth), height: this.box.clientHeight});
  }
}
const charts = [new Chart("objective", "Objective", OBJECTIVE, false), new Chart("gap", "Gap / objective", GAP, true),
                new Chart("nonzeros", "Nonzeros", NONZEROS, false)];

// --- what came ---

function reset(event) {
  state.instance = event.instance;
  state.runs.clear();
  state.nodes = null;
  state.message = 0;
  state.followed = true;
  state.run = null;
  state.program = event.program;
  $("message-list").replaceChildren();
  $("run").replaceChildren();
  const program = event.program;
  document.title = program.command + " – STRADS";
  set($("command"), program.command);
  set($("where"), "process " + program.process + " on " + program.host + ", since " +
      new Date(1000 * program.started).toLocaleString());
  set($("build"), "STRADS " + program.version + ", build " + program.build + ".");
}

function takeRun(event) {
  let run = state.runs.get(event.place);
  if (!run) {
    run = {place: event.place, number: 0, columns: [[], [], [], [], [], []]};
    state.runs.set(event.place, run);
    const option = make("option", event.name || "run " + (event.place + 1));
    option.value = event.place;
    $("run").append(option);
  }
  run.name = event.name || "run " + (event.place + 1);
  run.state = event.state;
  run.now = event.now;
  for (const point of event.points) {
    const seconds = run.columns[SECONDS];
    if (seconds.length && point[SECONDS] < seconds[seconds.length - 1]) continue;  // a run that went back
    run.columns.forEach((column, c) => column.push(point[c]));
  }
  if (event.points.length) run.changed = state.number;
  if (run.columns[SECONDS].length > POINTS_MAX) {
    run.columns = run.columns.map(column => column.filter((_, k) => k % 2 === 0 || k === column.length - 1));
  }
}

function takeMessages(messages) {
  const list = $("message-list");
  for (const message of messages) {
    if (message.number <= state.message) continue;
    state.message = message.number;
    const item = make("li");
    const time = make("time", new Date(1000 * message.time).toLocaleTimeString());
    time.dateTime = new Date(1000 * message.time).toISOString();
    item.append(time);
    if (message.level !== "info") item.append(make("strong", message.level + ": ", message.level));
    item.append(make("span", message.text));
    list.prepend(item);
  }
  while (list.children.length > MESSAGES_MAX) list.lastChild.remove();
}

function take(event) {
  // Whole, or of another process, which has begun anew.
  if (event.whole || event.instance !== state.instance) {
    if (!event.program) return reconnect();  // another process, and a part of its news
    reset(event);
  }
  state.number = event.number;
  state.last = event;
  state.heard = performance.now();
  for (const run of event.runs) takeRun(run);
  takeMessages(event.messages);
  if (event.nodes) state.nodes = event.nodes;
  scheduleDraw();
}

// --- what is shown ---

function shownRun() {
  if (!state.followed && state.runs.has(state.run)) return state.runs.get(state.run);
  let newest = null;
  for (const run of state.runs.values()) {
    if (run.changed && (!newest || run.changed >= newest.changed)) newest = run;
  }
  return newest;
}

function stageText(event) {
  if (!event.end) return event.stage;
  const code = event.end.code;
  if (code === 0) return "ended in order";
  return code === 3 ? "stopped early (exit code 3)" : "failed with exit code " + code;
}

function drawNow(event, run) {
  const now = run && run.columns[SECONDS].length > 0 ? run.now : null, rate = event.solving > 0 ? event.updates / event.solving : 0;
  const cards = [["Running for", duration(event.elapsed)]];
  if (event.runs_total > 0) {
    cards.push(["Objective", short(now && now[OBJECTIVE], 6)], ["Gap / objective", short(now && now[GAP], 3)],
               ["Nonzeros", now ? count(now[NONZEROS]) : "–"], ["Rounds", count(event.rounds)], ["Updates", count(event.updates)],
               ["Updates a second", count(rate)]);
    if (event.runs_total > 1) cards.push(["Runs ended", event.runs_ended + " of " + event.runs_total]);
  }
  const [memory, most, cpu] = state.nodes && event.runs_total > 0 ? ["Driver's memory", "Driver's most", "Driver's CPU time"]
                                                                  : ["Memory", "Most memory", "Processor time"];
  cards.push([memory, bytes(event.memory)], [most, bytes(event.memory_peak)], [cpu, duration(event.cpu)]);
  fillList($("cards"), cards);
  set($("line"), event.end && event.end.reason ? event.end.reason : event.line);
  $("figures-box").hidden = event.figures.length === 0;
  fillList($("figures"), event.figures.map(([name, value]) => [name, value === "" ? "–" : short(Number(value), 8) === "–" ? value : short(Number(value), 8)]));
}

function drawRuns(event) {
  const several = event.runs_total > 1;
  $("runs-section").hidden = $("run-label").hidden = !several;
  if (!several) return;
  const runs = [...state.runs.values()].sort((a, b) => a.place - b.place);
  fillTable($("runs"), runs, run => {
    const begun = run.columns[SECONDS].length > 0;
    return [[run.name], [run.state, run.state === "running" ? "ok" : ""], [begun ? short(run.now[OBJECTIVE], 6) : "–", "number"],
            [begun ? short(run.now[GAP], 3) : "–", "number"], [begun ? count(run.now[NONZEROS]) : "–", "number"],
            [begun ? count(run.now[UPDATES]) : "–", "number"]];
  });
}

function drawNodes() {
  $("nodes-section").hidden = !state.nodes || state.nodes.length === 0;
  if ($("nodes-section").hidden) return;
  const counts = WORST_FIRST.map(name => [name, state.nodes.filter(node => node.state === name).length]).filter(([, n]) => n > 0);
  set($("nodes-summary"), state.nodes.length + (state.nodes.length === 1 ? " node: " : " nodes: ") +
      counts.map(([name, n]) => SIGNS[name] + "\u00a0" + n + "\u00a0" + name).join(", "));
  const order = new Map(WORST_FIRST.map((name, k) => [name, k]));
  const nodes = [...state.nodes].sort((a, b) => order.get(a.state) - order.get(b.state) || a.rank - b.rank);
  fillTable($("nodes"), nodes, node => [
    [node.rank + " " + node.name], [SIGNS[node.state] + " " + node.state, node.state], [node.last_word.toFixed(1) + " s", "number"],
    [bytes(node.memory), "number"], [count(node.updates), "number"], [duration(node.busy), "number"], [bytes(node.bytes), "number"],
    [node.stage], [node.roles || "none"]]);
}

let drawing = 0, drawn = 0;
function scheduleDraw() {
  if (drawing) return;
  drawing = setTimeout(() => requestAnimationFrame(draw), Math.max(0, drawn + DRAW_EVERY - performance.now()));
}
/// Each part in a turn of its own: none of them keeps the browser from answering a key.
function draw() {
  drawing = 0;
  drawn = performance.now();
  const event = state.last, run = shownRun();
  set($("stage"), stageText(event));
  drawNow(event, run);
  if (run && state.followed) $("run").value = run.place;
  $("course").hidden = event.runs_total === 0;
  const parts = [...charts.map(chart => () => chart.draw(run)), () => drawRuns(event), drawNodes];
  const next = () => {
    const part = parts.shift();
    if (!part) return;
    part();
    setTimeout(next, 0);
  };
  setTimeout(next, 0);
}

// --- the connection ---

let source = null;
function reconnect() {
  if (source) source.close();
  source = new EventSource("events");
  source.onopen = () => set($("connection"), "");
  source.onmessage = message => {
    const event = JSON.parse(message.data);
    set($("connection"), "");
    take(event);
    if (event.end) source.close();  // the process goes; nothing more comes
  };
  source.onerror = () => {
    if (state.last && state.last.end) return;
    set($("connection"), "connection lost, trying again");
    if (source.readyState === EventSource.CLOSED) setTimeout(reconnect, 2000);
  };
}

for (const input of document.querySelectorAll("input[name=against]")) {
  input.addEventListener("change", () => {
    state.against = input.value === "updates" ? UPDATES : SECONDS;
    if (state.last) scheduleDraw();
  });
}
$("run").addEventListener("change", () => {
  state.run = Number($("run").value);
  state.followed = false;
  scheduleDraw();
});
let resizing = 0;
addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => charts.forEach(chart => chart.resize()), 150);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  charts.forEach(chart => chart.drop());
  if (state.last) scheduleDraw();
});
reconnect();
