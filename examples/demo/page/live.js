"use strict";
const shown = 120; // snapshots, two a second
const kinds = [
  { name: "index", title: "Index page", route: "GET /" },
  { name: "search", title: "Search", route: "GET /search" },
  { name: "payments", title: "Payments", route: "POST /payments" },
];
const byId = (id) => document.getElementById(id);
const history = [];
let controls = "";

// Figures as people read them

function duration(ms) {
  if (ms === null) return "–";
  if (ms < 1) return (ms * 1000).toFixed(0) + " µs";
  if (ms < 10) return ms.toFixed(1) + " ms";
  if (ms < 1000) return ms.toFixed(0) + " ms";
  return (ms / 1000).toFixed(1) + " s";
}

const rate = (n) => n.toFixed(0) + "/s";
const count = (n) => Math.round(n).toLocaleString("en");

// One chart for each kind: times above, answers and errors below, on one axis of time

const svg = (name, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  return element;
};

const timeTop = 8, timeBottom = 164, rateTop = 184, rateBottom = 242, left = 52, right = 8;
const decades = [0.01, 0.1, 1, 10, 100, 1000, 10000];
const timeY = (ms) => {
  const share = (Math.log10(Math.min(Math.max(ms, 0.01), 10000)) + 2) / 6;
  return timeBottom - share * (timeBottom - timeTop);
};

class Chart {
  constructor(kind) {
    this.kind = kind;
    this.at = null; // the snapshot that is pointed at, counted from the newest
    this.card = byId("card").content.firstElementChild.cloneNode(true);
    this.card.id = kind.name;
    this.card.querySelector("h2").textContent = kind.title;
    this.card.querySelector("code").textContent = kind.route;
    this.badge = this.card.querySelector(".badge");
    this.why = this.card.querySelector(".why");
    this.svg = this.card.querySelector("svg");
    this.numbers = {};
    for (const element of this.card.querySelectorAll("[data-of]")) this.numbers[element.dataset.of] = element;
    this.svg.addEventListener("pointermove", (event) => {
      const box = this.svg.getBoundingClientRect();
      const back = Math.round((box.width - right - (event.clientX - box.left)) / this.step(box.width));
      charts.forEach((chart) => chart.pointAt(back));
    });
    this.svg.addEventListener("pointerleave", () => charts.forEach((chart) => chart.pointAt(null)));
    byId("charts").append(this.card);
    new ResizeObserver(() => this.draw()).observe(this.svg);
  }

  pointAt(back) {
    this.at = back === null || back < 0 || back >= history.length ? null : back;
    this.draw();
  }

  step(width) {
    return (width - left - right) / (shown - 1);
  }

  draw() {
    const width = this.svg.clientWidth;
    if (width === 0) return;
    const x = (i) => width - right - (history.length - 1 - i) * this.step(width);
    const values = history.map((snapshot) => snapshot.kinds[this.kind.name]);
    const most = Math.max(10, ...history.flatMap((s) => kinds.map((k) => s.kinds[k.name].good + s.kinds[k.name].failed)));
    const parts = [];

    // when search hung
    history.forEach((snapshot, i) => {
      if (!snapshot.situation.down) return;
      const from = Math.max(left, x(i) - this.step(width));
      const until = Math.max(left, x(i));
      parts.push(svg("rect", { class: "hanging", x: from, y: timeTop, width: until - from, height: rateBottom - timeTop }));
    });
    for (const ms of decades) {
      const y = timeY(ms);
      parts.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: y, y2: y }));
      const label = ms < 1 ? ms * 1000 + " µs" : ms < 1000 ? ms + " ms" : ms / 1000 + " s";
      parts.push(svg("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, label));
    }
    parts.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: rateBottom, y2: rateBottom }));
    parts.push(svg("text", { x: left - 6, y: rateTop + 8, "text-anchor": "end" }, rate(most)));
    parts.push(svg("text", { x: left - 6, y: rateBottom, "text-anchor": "end" }, "0"));
    for (const seconds of [60, 45, 30, 15, 0]) {
      const at = width - right - seconds * 2 * this.step(width);
      const anchor = seconds === 60 ? "start" : seconds === 0 ? "end" : "middle";
      const text = seconds === 0 ? "now" : "−" + seconds + " s";
      parts.push(svg("text", { x: Math.max(left, at), y: rateBottom + 18, "text-anchor": anchor }, text));
    }
    for (const of of ["p99", "p90", "p50"]) {
      let path = "";
      let pen = false;
      values.forEach((value, i) => {
        if (value[of] === null) pen = false;
        else {
          path += (pen ? "L" : "M") + x(i).toFixed(1) + " " + timeY(value[of]).toFixed(1);
          pen = true;
        }
      });
      parts.push(svg("path", { class: "line " + of, d: path }));
    }
    const scale = (rateBottom - rateTop) / most;
    const thick = Math.max(1, this.step(width) - 0.5);
    const bars = { good: "", failed: "" };
    values.forEach((value, i) => {
      const good = value.good * scale, failed = value.failed * scale;
      const bar = (y, height) => `M${(x(i) - thick).toFixed(1)} ${y.toFixed(1)}h${thick.toFixed(1)}v${height.toFixed(1)}h-${thick.toFixed(1)}z`;
      if (good > 0) bars.good += bar(rateBottom - good, good);
      if (failed > 0) bars.failed += bar(rateBottom - good - failed, failed);
    });
    for (const of in bars) parts.push(svg("path", { class: "bars " + of, d: bars[of] }));
    if (this.at !== null) {
      const at = x(history.length - 1 - this.at);
      parts.push(svg("line", { class: "now", x1: at, x2: at, y1: timeTop, y2: rateBottom }));
    }
    this.svg.replaceChildren(...parts);
    this.tell();
  }

  /** The same in words. */
  tell() {
    const value = history.length === 0 ? null : history[history.length - 1 - (this.at ?? 0)]?.kinds[this.kind.name];
    if (!value) return;
    for (const of of ["p50", "p90", "p99"]) this.numbers[of].textContent = duration(value[of]);
    for (const of of ["good", "failed"]) this.numbers[of].textContent = rate(value[of]);
    this.numbers.errors.textContent = count(value.errors);
    this.why.textContent = value.failure ? ", the last one: " + value.failure : "";
    const all = value.good + value.failed;
    const state = all === 0 ? "" : value.failed > all / 2 ? "failing" : value.failed > all / 100 ? "strained" : "fine";
    const word = { "": "nobody asks", failing: "failing", strained: "some errors", fine: "healthy" }[state];
    this.badge.className = "badge " + state;
    if (this.badge.textContent !== word) this.badge.textContent = word;
    this.card.classList.toggle("failing", state === "failing");
    this.svg.setAttribute(
      "aria-label",
      `${this.kind.title}: ${word}, median ${duration(value.p50)}, 90 % ${duration(value.p90)}, ` +
        `99 % ${duration(value.p99)}, ${rate(value.good)} answered, ${rate(value.failed)} errors`
    );
  }
}

const charts = kinds.map((kind) => new Chart(kind));

// What the store says

function show(snapshot) {
  byId("total").textContent = count(kinds.reduce((sum, kind) => sum + snapshot.kinds[kind.name].good, 0));
  byId("connections").textContent = count(snapshot.connections);
  byId("inFlight").textContent = count(snapshot.inFlight);
  byId("shed").textContent = count(snapshot.shed);
  byId("shedNow").textContent = snapshot.shedNow > 0 ? rate(snapshot.shedNow) : "";
  byId("breaker").textContent =
    { Closed: "closed", Open: "open: search is left alone", HalfOpen: "half-open: trying again" }[snapshot.services[0].breaker];
  reflect(snapshot.situation);
  charts.forEach((chart) => chart.draw());
}

let touched = 0; // a switch that was used just now is ahead of what was seen

function reflect(situation) {
  if (Date.now() - touched < 1500) return;
  byId("down").checked = situation.down;
  byId("times").checked = situation.times > 1;
  byId("customers").value = situation.customers;
  tellCustomers();
}

const tellCustomers = () => {
  byId("customersShown").textContent = byId("customers").value + (byId("times").checked ? " × 5" : "");
};

const source = new EventSource("/live/events");
source.addEventListener("hello", (event) => {
  const hello = JSON.parse(event.data);
  controls = hello.controls;
  history.length = 0;
  byId("customers").max = hello.most;
  notice("");
  askControls();
});
source.onmessage = (event) => {
  const snapshot = JSON.parse(event.data);
  history.push(snapshot);
  if (history.length > shown) history.shift();
  if (!waiting) {
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      show(history[history.length - 1]);
    });
  }
};
let waiting = false;
source.onerror = () => notice("The store does not answer; trying again.");

const notice = (text) => {
  byId("notice").textContent = text;
};

// What is changed here

function enable(on) {
  for (const id of ["down", "times", "customers"]) byId(id).disabled = !on;
}

async function askControls() {
  try {
    const answer = await fetch(controls + "/situation");
    enable(answer.ok);
  } catch (e) {
    enable(false);
    notice("The switches work in a browser on the machine that runs the store: they are bound to " + controls + ".");
  }
}

async function change(what) {
  touched = Date.now();
  tellCustomers();
  try {
    const answer = await fetch(controls + "/situation?" + new URLSearchParams(what), { method: "PUT" });
    notice(answer.ok ? "" : await answer.text());
  } catch (e) {
    notice("The switch did not reach the store.");
  }
}

byId("down").addEventListener("change", (event) => change({ down: event.target.checked }));
byId("times").addEventListener("change", (event) => change({ times: event.target.checked ? 5 : 1 }));
byId("customers").addEventListener("input", (event) => change({ customers: event.target.value }));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const slider = byId("customers");
  if (event.key === "h" || event.key === "H") byId("down").click();
  else if (event.key === "f" || event.key === "F") byId("times").click();
  else if (event.key === "+" || event.key === "-") {
    if (slider.disabled) return;
    if (event.key === "+") slider.stepUp(5);
    else slider.stepDown(5);
    slider.dispatchEvent(new Event("input"));
  } else return;
  event.preventDefault();
});
