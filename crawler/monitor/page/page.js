"use strict";

const every = 2000; // ms
const phases = ["waiting", "robots", "fetching", "parsing", "putting", "settling"];
const $ = id => document.getElementById(id);
let range = "5m", status = "";

// el makes an element; text is never taken for markup, as URLs come from anywhere.
function el(name, props, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(props || {})) e.setAttribute(k, v);
  e.append(...children.map(c => c instanceof Node ? c : String(c)));
  return e;
}

const count = n => n.toLocaleString("en");
const sum = o => Object.values(o || {}).reduce((a, b) => a + b, 0);
function short(n) {
  if (n >= 1e9) return (n / 1e9).toFixed(1) + " G";
  if (n >= 1e6) return (n / 1e6).toFixed(1) + " M";
  return n < 10 && n % 1 ? n.toFixed(1) : count(Math.round(n));
}
function bytes(n) {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (n >= size) return (n / size).toFixed(n / size < 10 ? 1 : 0) + " " + unit;
  }
  return Math.round(n) + " B";
}
function seconds(s) {
  if (s < 0.0005) return "0 s";
  if (s < 1) return Math.max(1, Math.round(s * 1000)) + " ms";
  if (s < 60) return s.toFixed(1) + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + Math.floor(s % 60) + " s";
  return Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";
}

function tiles(s) {
  const busy = (s.workers || []).filter(w => w.url).length;
  $("tiles").replaceChildren(...[
    ["pages", short(s.counts.pages)], ["received", bytes(s.counts.bytes)], ["URLs waiting", short(s.queue.queued)],
    ["of them due", short(s.queue.due)], ["URLs known", short(s.queue.seen)], ["busy workers", busy + " / " + (s.workers || []).length],
    ["failed", short(sum(s.counts.failed))], ["tried again", short(s.counts.retries)], ["skipped", short(sum(s.counts.skipped))],
    ["hosts ready", short(s.queue.ready)], ["hosts resting", short(s.queue.waiting)], ["hosts parked", short(s.queue.parked)],
  ].map(([name, value]) => el("div", {}, el("span", {}, name), el("b", {}, value))));
}

// chart draws counts a step as an area. A rate leaves out the step under way.
function chart(name, values, step, color, show, rate) {
  let v = values || [];
  if (rate) v = v.slice(0, -1).map(x => x / step);
  const top = Math.max(...v, 0) || 1, w = 300, h = 60, n = Math.max(v.length - 1, 1);
  const at = v.map((x, i) => (i / n * w).toFixed(1) + " " + (h - 1 - x / top * (h - 6)).toFixed(1));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  if (at.length > 1) {
    for (const [kind, d] of [["area", `M0 ${h}L${at.join("L")}L${w} ${h}Z`], ["line", "M" + at.join("L")]]) {
      const path = document.createElementNS(svg.namespaceURI, "path");
      path.setAttribute("class", kind);
      path.setAttribute("d", d);
      svg.append(path);
    }
  }
  svg.style.color = `var(--${color})`;
  const last = v.slice(rate ? -5 : -1);
  const now = last.length ? last.reduce((a, b) => a + b, 0) / last.length : 0;
  return el("figure", {}, el("figcaption", {}, el("span", {}, name), el("b", {}, show(now))), svg,
    el("div", { class: "scale" }, el("span", {}, "− " + seconds((values || []).length * step)), el("span", {}, "highest " + show(Math.max(...v, 0)))));
}

function charts(s) {
  const r = s.series;
  $("charts").replaceChildren(
    chart("pages a second", r.pages, r.step, "blue", short, true),
    chart("received a second", r.bytes, r.step, "green", bytes, true),
    chart("URLs waiting", r.queued, r.step, "violet", short, false),
    chart("went wrong a second", (r.failed || []).map((x, i) => x + r.retried[i]), r.step, "red", short, true));
}

function workers(s) {
  const all = s.workers || [];
  $("legend").replaceChildren(...phases.map(p => el("span", {}, el("i", { class: p }), p + " " + (s.phases[p] || 0))));
  $("phases").replaceChildren(...phases.filter(p => s.phases[p]).map(p => {
    const part = el("span", { class: p });
    part.style.width = s.phases[p] / all.length * 100 + "%";
    return part;
  }));
  const busy = all.filter(w => w.url).sort((a, b) => b.visit - a.visit);
  rows("workers", 4, busy, w => [el("td", {}, el("i", { class: w.phase }), w.phase),
    el("td", { class: w.age > 10 ? "n old" : "n" }, seconds(w.age)), el("td", { class: "n" }, seconds(w.visit)), el("td", { class: "url" }, w.url)],
    all.length ? "All wait for a URL that may be visited." : "None.");
}

function rows(id, width, list, cells, none) {
  const all = (list || []).map(x => el("tr", {}, ...cells(x)));
  $(id).replaceChildren(...(all.length ? all : [el("tr", {}, el("td", { class: "none", colspan: width }, none))]));
}

function bars(id, counts) {
  const all = Object.entries(counts || {}).sort((a, b) => b[1] - a[1]);
  const top = all.length ? all[0][1] : 1;
  $(id).replaceChildren(...(all.length ? all.flatMap(([k, n]) => {
    const bar = el("span", { "aria-hidden": "true" });
    bar.style.width = n / top * 100 + "%";
    return [el("dt", {}, k), el("dd", {}, bar), el("dd", { class: "n" }, count(n))];
  }) : [el("dt", { class: "none" }, "None"), el("dd")]));
}

function show(s) {
  status = s.status;
  $("status").textContent = status;
  $("status").className = "badge " + status;
  $("took").textContent = s.took ? "for " + seconds(s.took) : "";
  $("pause").textContent = status === "paused" || status === "pausing" ? "Resume" : "Pause";
  $("pause").disabled = status === "ended";
  $("pause").hidden = s.readOnly;
  $("problem").textContent = s.error || "";
  $("problem").hidden = !s.error;
  document.title = `${short(s.counts.pages)} pages, ${status}`;
  tiles(s); charts(s); workers(s);
  bars("failed", s.counts.failed);
  bars("skipped", s.counts.skipped);
  rows("hosts", 9, s.hosts, h => [el("td", {}, h.name), el("td", { class: "n" }, count(h.pages)), el("td", { class: "n" }, count(h.failed)),
    el("td", { class: "n" }, bytes(h.bytes)), el("td", {}, (h.state === "unknown" ? "nothing waits" : h.state) + (h.backoff ? `, backing off ${h.backoff}` : "")),
    el("td", { class: "n" }, seconds(h.gap)), el("td", { class: "n" }, count(h.queued)), el("td", { class: "n" }, h.leased), el("td", { class: "n" }, seconds(h.last) + " ago")], "None yet.");
  rows("trouble", 3, s.trouble, v => [el("td", {}, new Date(v.at).toLocaleTimeString("en-GB")), el("td", {}, v.kind), el("td", { class: "url" }, v.error || v.url)], "None.");
}

async function look() {
  try {
    const r = await fetch("api/state?range=" + range);
    if (!r.ok) throw new Error(await r.text());
    show(await r.json());
  } catch {
    $("status").textContent = "not reached";
    $("status").className = "badge lost";
    $("pause").disabled = true;
  }
}

async function loop() {
  if (!document.hidden) await look();
  setTimeout(loop, every);
}

$("pause").onclick = async () => {
  await fetch(status === "paused" || status === "pausing" ? "api/resume" : "api/pause", { method: "POST" });
  await look();
};
document.querySelectorAll("[data-range]").forEach(b => b.onclick = () => {
  range = b.dataset.range;
  document.querySelectorAll("[data-range]").forEach(o => o.setAttribute("aria-pressed", o === b));
  look();
});
$("explain").onsubmit = async e => {
  e.preventDefault();
  const r = await fetch("api/explain?url=" + encodeURIComponent(e.target.url.value));
  const steps = r.ok ? (await r.json()).steps : [{ part: "refused", answer: await r.text() }];
  $("steps").replaceChildren(...steps.map(s => el("li", s.stops ? { class: "stops" } : {},
    el("span", {}, s.part), el("b", {}, s.answer), ...(s.detail ? [el("small", {}, s.detail)] : []))));
};
loop();
