"use strict";
// make is an element with attributes, and children that are elements or texts: nothing here
// is ever read as HTML.
function make(tag, attrs = {}, ...children) {
  const el = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) {
    if (k.startsWith("on")) el.addEventListener(k.slice(2), v);
    else if (v === true) el.setAttribute(k, "");
    else if (v !== false && v != null) el.setAttribute(k, v);
  }
  el.append(...children.filter(c => c != null));
  return el;
}
const byID = id => document.getElementById(id);
const grouped = n => String(n ?? 0).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const cells = (tag, ...texts) => make("tr", {}, ...texts.map(t => make(tag, tag === "th" ? { scope: "col" } : {}, t ?? "")));

// ---- a job at work

const live = byID("live");
if (live) follow(live.dataset.job);

async function follow(job) {
  let wait = 1000, was = "";
  for (;;) {
    try {
      const answer = await fetch(`/jobs/${encodeURIComponent(job)}/status.json`);
      const s = await answer.json();
      if (was === "running" && s.run.state !== "running") { location.reload(); return }
      was = s.run.state;
      showStatus(s);
      wait = s.run.state === "running" ? 1000 : 3000;
    } catch { byID("summary").textContent = "The console does not answer." }
    await new Promise(done => setTimeout(done, wait));
  }
}

function showStatus(s) {
  const phase = s.paused ? "paused" : s.run.state === "running" ? "running" : "idle";
  byID("state").textContent = s.paused ? "paused" : s.run.state || "never run";
  byID("state").className = "state " + (s.run.state || "");
  document.querySelectorAll("[data-when]").forEach(f => { f.hidden = !f.dataset.when.split(" ").includes(phase) });
  const p = s.run.pages, q = s.live?.queue, figures = [["New", p.new], ["Changed", p.changed], ["Same", p.same], ["Gone", p.gone + p.moved], ["Records", p.records], ["MB", (s.run.bytes / 1e6).toFixed(1)]];
  if (q) figures.push(["Waiting", q.due], ["Visits a second", (q.visitRate || 0).toFixed(1)]);
  const failed = Object.values(s.run.failed || {}).reduce((a, b) => a + b, 0);
  if (failed) figures.push(["Failed", failed]);
  byID("figures").replaceChildren(...figures.map(([name, n]) => make("div", {}, make("dt", {}, name), make("dd", {}, typeof n === "number" ? grouped(n) : n))));
  byID("summary").textContent = s.run.error || (s.next ? "Comes again " + new Date(s.next).toLocaleString() + "." : "");
  byID("problem").hidden = !s.problem;
  byID("problem").textContent = s.problem;
  const workers = (s.live?.workers || []).filter(w => w.url);
  byID("working").hidden = !workers.length;
  byID("workers").replaceChildren(...workers.slice(0, 20).map(w => cells("td", w.phase, w.url, w.age.toFixed(1) + " s")));
  const trouble = s.live?.trouble || [];
  byID("trouble").hidden = !trouble.length;
  byID("errors").replaceChildren(...trouble.slice(-10).reverse().map(t => cells("td", t.url, t.error || t.reason || t.kind)));
  const docs = s.documents || [];
  byID("coming").hidden = !docs.length;
  const names = [...new Set(docs.flatMap(d => (d.Values || []).map(v => v.Name)))].slice(0, 6);
  byID("doc-head").replaceChildren(cells("th", ...names, "page"));
  byID("docs").replaceChildren(...docs.slice(0, 10).map(d => cells("td", ...names.map(n => ((d.Values || []).find(v => v.Name === n)?.Text || "").slice(0, 120)), d.URL)));
}

// ---- the editor: a form made of the schema, and the same as text

const editor = byID("editor");
if (editor) edit();

async function edit() {
  const area = byID("spec");
  const schema = await (await fetch("/schema.json")).json();
  let spec = {}, asForm = true;
  const ask = async (path, body) => (await fetch(path, { method: "POST", body })).json();

  const check = async () => {
    const a = await ask("/parse", area.value);
    byID("mistakes").hidden = !a.mistakes.length;
    byID("mistakes").replaceChildren(...a.mistakes.map(m => make("li", {}, m)));
    return a;
  };
  const changed = () => { prune(spec); area.value = toYAML(spec); check() };
  const show = form => {
    asForm = form;
    byID("form").hidden = !form;
    byID("text").hidden = form;
    byID("as-form").setAttribute("aria-selected", form);
    byID("as-text").setAttribute("aria-selected", !form);
  };
  const toForm = async () => {
    const a = await check();
    if (!a.spec) { show(false); return }
    spec = a.spec;
    byID("form").replaceChildren(formOf(schema, spec, changed));
    show(true);
  };
  byID("as-form").onclick = toForm;
  byID("as-text").onclick = () => show(false);
  let soon;
  area.oninput = () => { clearTimeout(soon); soon = setTimeout(check, 400) };
  await toForm();

  byID("try").onclick = async () => {
    const out = byID("tried");
    out.hidden = false;
    out.replaceChildren(make("h2", {}, "Trying it"), make("p", { role: "status" }, "The first pages are visited; this takes a moment."));
    out.scrollIntoView({ block: "nearest" });
    byID("try").disabled = true;
    try { out.replaceChildren(...shownTry(await ask("/try?pages=5", area.value))) }
    catch (e) { out.replaceChildren(make("p", { class: "bad" }, String(e))) }
    byID("try").disabled = false;
    out.scrollIntoView({ block: "start" });
  };
  picking(ask, area, () => spec, async next => { spec = next; area.value = toYAML(prune(spec)); await check(); if (asForm) await toForm() });
}

function shownTry(a) {
  const out = [make("h2", {}, "What came of it")];
  for (const m of a.mistakes || []) out.push(make("p", { class: "bad" }, m));
  if (a.error) out.push(make("p", { class: "bad" }, a.error));
  for (const p of a.pages) {
    out.push(make("h3", {}, p.title || p.url), make("p", {}, make("small", {}, `${p.url}, ${p.links} links`)));
    if (p.steps?.length) out.push(make("ol", { class: "shots" }, ...p.steps.map(s => make("li", {}, make("strong", {}, `${s.step}. ${s.action}`), ` ${s.end} `, make("small", {}, [s.note, s.took].filter(Boolean).join(", ")),
      s.error ? make("p", { class: "bad" }, s.error) : null, s.shot ? make("img", { src: s.shot, alt: `The page after step ${s.step}`, loading: "lazy" }) : null))));
    if (p.records.length) {
      const names = [...new Set(p.records.flatMap(r => Object.keys(r)))];
      out.push(make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "Records of " + p.url }, make("table", {}, make("thead", {}, cells("th", ...names)), make("tbody", {}, ...p.records.slice(0, 30).map(r => cells("td", ...names.map(n => r[n] || "")))))));
    } else out.push(make("p", {}, p.text));
    for (const f of p.flaws || []) out.push(make("p", { class: "bad" }, f));
  }
  if (a.events.length) out.push(make("details", {}, make("summary", {}, `${a.events.length} addresses that gave no page`), make("ul", {}, ...a.events.map(e => make("li", {}, e)))));
  return out;
}

// prune takes away what is empty.
function prune(v) {
  for (const [k, x] of Object.entries(v)) {
    if (x && typeof x === "object") prune(x);
    if (x === "" || x === null || x === undefined || (typeof x === "object" && !Object.keys(x).length && !(k in keepsEmpty))) Array.isArray(v) ? null : delete v[k];
  }
  return v;
}
const keepsEmpty = { dismiss: 1, snapshot: 1, scroll: 1, screenshot: 1, pdf: 1, wait: 1, set: 1 };

// toYAML writes plain values.
function toYAML(v, indent = "") {
  if (Array.isArray(v)) return v.map(x => indent + "- " + (x && typeof x === "object" && Object.keys(x).length ? toYAML(x, indent + "  ").trimStart() : scalar(x) + "\n")).join("");
  return Object.entries(v).map(([k, x]) => {
    const key = indent + (/^[A-Za-z][\w-]*$/.test(k) ? k : JSON.stringify(k)) + ":";
    if (x && typeof x === "object") {
      if (!Object.keys(x).length) return key + (Array.isArray(x) ? " []\n" : " {}\n");
      return key + "\n" + toYAML(x, indent + "  ");
    }
    return key + " " + scalar(x) + "\n";
  }).join("");
}
const scalar = x => typeof x === "string" && !/^[A-Za-z\/][\w\/.,+ -]*[\w\/]$/.test(x) || /^(true|false|yes|no|on|off|null|~)$/i.test(x) ? JSON.stringify(x) : String(x ?? "null");

// The parts of a spec that a newcomer looks at first.
const first = ["name", "seeds", "user-agent", "scope", "budget", "extract", "chains", "output"];

function formOf(schema, spec, changed) {
  const all = { ...schema.$defs.Actions.$defs, ...schema.$defs };
  const names = Object.keys(schema.properties).sort((a, b) => (first.indexOf(a) + 99) % 99 - (first.indexOf(b) + 99) % 99 || (a < b ? -1 : 1));
  const box = make("div");
  for (const n of names) box.append(part(n, schema.properties[n], spec, changed, all, true, (schema.required || []).includes(n)));
  return box;
}

let serial = 0;
const resolve = (s, all) => {
  for (let i = 0; s?.$ref && i < 9; i++) {
    const name = s.$ref.split("/").pop();
    s = { description: s.description, ...(name === "schema.json" ? all.Schema : all[name]), ref: name };
  }
  return s;
};

// part is the input of one property of an object.
function part(name, given, obj, changed, all, top, required) {
  const s = resolve(given, all), say = given.description || s.description || "";
  if (s.ref === "Steps" || name === "steps" || name === "do" || name === "then" || name === "else") return group(name, say, top, stepsOf(obj, name, changed, all));
  if (name === "extract" || s.ref === "schema.json") return group(name, say, top, recordsOf(obj, name, changed));
  const list = s.anyOf?.find(a => a.type === "array");
  if (list) {
    const item = resolve(list.items, all);
    if (item.properties || item.anyOf?.some(a => a.properties)) return group(name, say, top, listOf(obj, name, item, changed, all));
    return field(name, say, textList(obj, name, changed), required);
  }
  const full = s.properties ? s : s.anyOf?.find(a => a.properties);
  if (full && !(s.anyOf && s.anyOf[0].type && name !== "within" && !full.properties.css)) {
    if (typeof obj[name] === "string") { const short = Object.keys(full.properties).find(k => k === "css") || Object.keys(full.properties)[0]; obj[name] = { [short]: obj[name] } }
    const child = obj[name] ??= {};
    const box = make("div");
    for (const [k, v] of Object.entries(full.properties)) box.append(part(k, v, child, changed, all, false, (full.required || []).includes(k)));
    return group(name, say, top, box, Object.keys(child).length > 0);
  }
  if (s.type === "object" || s.additionalProperties) return field(name, say + " (name: value, one a line)", pairs(obj, name, changed));
  return field(name, say, input(obj, name, s, changed), required);
}

function group(name, say, top, body, open) {
  if (!top) return make("fieldset", {}, make("legend", {}, name), say ? make("small", {}, say) : null, body);
  return make("details", { class: "part", open: open || ["seeds", "scope", "budget", "extract", "output"].includes(name) }, make("summary", {}, name, " ", make("small", {}, say)), body);
}

function field(name, say, control, required) {
  const id = control.id ||= "f" + ++serial;
  if (say) control.setAttribute("aria-describedby", id + "s");
  return make("p", { class: "field" }, make("label", { for: id }, name + (required ? " (needed)" : "")), control, say ? make("small", { id: id + "s" }, say) : null);
}

function input(obj, name, s, changed) {
  const set = v => { obj[name] = v; changed() };
  if (s.enum) return make("select", { onchange: e => set(e.target.value) }, ...["", ...s.enum].map(v => make("option", { value: v, selected: (obj[name] ?? "") === v }, v || "as usual")));
  if (s.type === "boolean") return make("input", { type: "checkbox", checked: obj[name] === true, onchange: e => set(e.target.checked || undefined) });
  const number = s.type === "integer" || s.type === "number";
  return make("input", { type: number ? "number" : "text", step: s.type === "number" ? "any" : null, value: obj[name] ?? "", placeholder: s.pattern ? "as 500ms, 2s or 1h30m" : null,
    onchange: e => set(e.target.value === "" ? undefined : number ? Number(e.target.value) : e.target.value) });
}

function textList(obj, name, changed) {
  const now = [].concat(obj[name] ?? []);
  return make("textarea", { rows: Math.max(now.length, 1) + 1, placeholder: "one a line", onchange: e => { obj[name] = e.target.value.split("\n").map(l => l.trim()).filter(Boolean); changed() } }, now.join("\n"));
}

function pairs(obj, name, changed) {
  const text = Object.entries(obj[name] || {}).map(([k, v]) => k + ": " + (typeof v === "object" ? JSON.stringify(v) : v)).join("\n");
  return make("textarea", { rows: 2, placeholder: "name: value", onchange: e => {
    obj[name] = {};
    for (const l of e.target.value.split("\n")) {
      const i = l.indexOf(": ");
      if (i <= 0) continue;
      const v = l.slice(i + 2).trim();
      try { obj[name][l.slice(0, i).trim()] = v.startsWith("{") ? JSON.parse(v) : v } catch { obj[name][l.slice(0, i).trim()] = v }
    }
    changed();
  } }, text);
}

// listOf edits a list of objects.
function listOf(obj, name, item, changed, all) {
  const full = item.properties ? item : item.anyOf.find(a => a.properties);
  const box = make("div");
  const draw = () => {
    const list = obj[name] = [].concat(obj[name] ?? []);
    box.replaceChildren(...list.map((one, i) => make("fieldset", {}, make("legend", {}, `${name} ${i + 1}`),
      ...Object.entries(full.properties).map(([k, v]) => part(k, v, one, changed, all, false, (full.required || []).includes(k))),
      make("button", { type: "button", class: "plain small", onclick: () => { list.splice(i, 1); changed(); draw() } }, "Remove"))),
      make("p", {}, make("button", { type: "button", class: "plain small", onclick: () => { list.push({}); draw() } }, "Add")));
  };
  draw();
  return box;
}

// stepsOf edits the steps of a chain.
function stepsOf(obj, name, changed, all) {
  const step = all.Step.anyOf.find(a => a.properties), extra = ["name", "timeout", "optional"];
  const kinds = Object.keys(step.properties).filter(k => !extra.includes(k)).sort();
  const box = make("div");
  const kindOf = s => typeof s === "string" ? s : Object.keys(s).find(k => kinds.includes(k));
  const draw = focus => {
    const list = obj[name] = [].concat(obj[name] ?? []);
    list.forEach((s, i) => { if (typeof s === "string") list[i] = { [s]: {} } });
    box.replaceChildren(make("ol", {}, ...list.map((s, i) => {
      const kind = kindOf(s);
      const move = by => { const [x] = list.splice(i, 1); list.splice(i + by, 0, x); changed(); draw() };
      const pick = make("select", { "aria-label": `Action of step ${i + 1}`, onchange: e => { const keep = {}; for (const k of extra) if (k in s) keep[k] = s[k]; list[i] = { [e.target.value]: {}, ...keep }; changed(); draw(i) } },
        ...kinds.map(k => make("option", { value: k, selected: k === kind }, k)));
      const of = resolve(step.properties[kind].anyOf?.find(a => a.$ref) || step.properties[kind], all);
      const full = of.properties ? of : of.anyOf?.find(a => a.properties);
      if (full && (typeof s[kind] !== "object" || s[kind] === null)) {
        const short = of.anyOf && Object.keys(full.properties).find(k => ["css", "url", "key", "js", "choice", "label", "file", "visible", "within"].includes(k));
        s[kind] = s[kind] && short ? { [short]: s[kind] } : {};
      }
      return make("li", {}, make("div", { class: "row" }, pick,
        make("button", { type: "button", class: "plain small", disabled: i === 0, onclick: () => move(-1), "aria-label": `Step ${i + 1} up` }, "↑"),
        make("button", { type: "button", class: "plain small", disabled: i === list.length - 1, onclick: () => move(1), "aria-label": `Step ${i + 1} down` }, "↓"),
        make("button", { type: "button", class: "plain small", onclick: () => { list.splice(i, 1); changed(); draw() }, "aria-label": `Remove step ${i + 1}` }, "×")),
        make("details", { open: i === focus || full?.required?.some(r => !(r in (s[kind] || {}))) || ("css" in (full?.properties || {}) && !Object.keys(s[kind] || {}).length) }, make("summary", {}, make("small", {}, summary(s[kind]) || "as usual")),
          ...Object.entries(full?.properties || {}).map(([k, v]) => part(k, v, s[kind], changed, all, false, (full.required || []).includes(k))),
          ...extra.map(k => part(k, step.properties[k], s, changed, all, false))));
    })), make("p", {}, make("button", { type: "button", class: "plain small", onclick: () => { list.push({ click: {} }); draw(list.length - 1) } }, "Add a step")));
  };
  draw();
  return box;
}
const summary = v => v && typeof v === "object" ? Object.entries(v).filter(([, x]) => x !== "" && x != null && !(typeof x === "object" && !Object.keys(x).length)).map(([k, x]) => `${k}: ${typeof x === "object" ? "…" : x}`).join(", ") : "";

// recordsOf edits which records are taken out of pages.
const types = ["string", "text", "html", "int", "float", "bool", "present", "time", "url", "price"];
function recordsOf(obj, name, changed) {
  const box = make("div");
  const draw = () => {
    const list = obj[name] = [].concat(obj[name] ?? []);
    box.replaceChildren(...list.map((one, i) => {
      one.fields ??= {};
      const rows = Object.entries(one.fields).map(([n, f]) => {
        const rule = typeof f === "string" ? { css: f } : f;
        one.fields[n] = rule;
        const rename = e => { const next = {}; for (const [k, v] of Object.entries(one.fields)) next[k === n ? e.target.value || n : k] = v; one.fields = next; changed(); draw() };
        const css = typeof rule.css === "string" || !(rule.xpath || rule.item);
        return make("tr", {}, make("td", {}, make("input", { "aria-label": "Name of the field", value: n, onchange: rename })),
          make("td", {}, css ? make("input", { "aria-label": `Selector of ${n}`, value: rule.css ?? "", onchange: e => { rule.css = e.target.value; changed() } }) : make("small", {}, summary(rule))),
          make("td", {}, make("input", { "aria-label": `Attribute of ${n}`, value: rule.attr ?? "", size: 8, onchange: e => { rule.attr = e.target.value || undefined; changed() } })),
          make("td", {}, make("select", { "aria-label": `Type of ${n}`, onchange: e => { rule.type = e.target.value === "string" ? undefined : e.target.value; changed() } }, ...types.map(t => make("option", { selected: (rule.type || "string") === t }, t)))),
          make("td", {}, make("input", { type: "checkbox", "aria-label": `${n} is needed`, checked: rule.required === true, onchange: e => { rule.required = e.target.checked || undefined; changed() } })),
          make("td", {}, make("button", { type: "button", class: "plain small", "aria-label": `Remove ${n}`, onclick: () => { delete one.fields[n]; changed(); draw() } }, "×")));
      });
      const each = { css: [].concat(one.each ?? []).map(e => e.css ?? e).find(e => typeof e === "string") ?? "" };
      return make("fieldset", {}, make("legend", {}, `records ${i + 1}`),
        field("urls", "globs of the pages that have them; all", textList(one, "urls", changed)),
        field("each", "selector of a record, where a page has several", make("input", { value: each.css, onchange: e => { one.each = e.target.value || undefined; changed() } })),
        make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": `Fields of records ${i + 1}` }, make("table", {}, make("thead", {}, cells("th", "field", "selector", "attribute", "type", "needed", "remove")), make("tbody", {}, ...rows))),
        make("button", { type: "button", class: "plain small", onclick: () => { let n = 1; while (`field${n}` in one.fields) n++; one.fields[`field${n}`] = { css: "" }; draw() } }, "Add a field"), " ",
        make("button", { type: "button", class: "plain small", onclick: () => { list.splice(i, 1); changed(); draw() } }, "Remove"));
    }), make("p", {}, make("button", { type: "button", class: "plain small", onclick: () => { list.push({ fields: { title: { css: "h1" } } }); changed(); draw() } }, "Add records")));
  };
  draw();
  return box;
}

// ---- picking fields from a page

function picking(ask, area, current, save) {
  const frame = byID("pick-frame"), side = byID("pick-side"), state = byID("pick-state");
  let fields = [], each = "", at = "", picked = null;
  byID("pick").onclick = () => {
    byID("picker").hidden = false;
    byID("pick-url").value ||= [].concat(current().seeds ?? [])[0] || "";
    byID("picker").scrollIntoView({ block: "start" });
    byID("pick-url").focus();
  };
  byID("pick-load").onsubmit = async e => {
    e.preventDefault();
    state.textContent = "The page is fetched.";
    const a = await ask("/pick?url=" + encodeURIComponent(byID("pick-url").value), area.value);
    if (a.error) { state.textContent = a.error; frame.hidden = true; return }
    at = a.url;
    fields = []; each = ""; picked = null;
    frame.hidden = false;
    frame.src = "/pick/" + a.id;
    state.textContent = "Click what you want to have. Nothing on this page runs or leads away.";
    draw();
  };
  addEventListener("message", e => {
    if (e.source !== frame.contentWindow || e.data?.quarry !== "picked") return;
    const text = k => typeof e.data[k] === "string" ? e.data[k].slice(0, 500) : "";
    picked = { css: text("css"), text: text("text"), tag: text("tag"), href: text("href"), src: text("src"), each: text("each"), within: text("within"), members: Number(e.data.members) || 0,
      samples: [].concat(e.data.samples ?? []).map(s => String(s).slice(0, 80)) };
    draw();
  });
  const guess = p => {
    if (/^\s*(€|\$|£|CHF|EUR|USD|GBP|¥)?\s*\d[\d.,'  ]*\s*(€|\$|£|kr|zł|CHF|EUR|USD|GBP|¥)?\s*$/.test(p.text) && /[€$£¥]|CHF|EUR|USD|GBP|kr|zł/.test(p.text)) return "price";
    if (/^\s*-?\d+\s*$/.test(p.text)) return "int";
    if (/^\s*-?\d+[.,]\d+\s*$/.test(p.text)) return "float";
    return "string";
  };
  function draw() {
    const out = [];
    if (picked) {
      const inList = picked.each && (each === "" ? fields.length === 0 : picked.each === each);
      const name = make("input", { id: "pick-name", value: picked.css.match(/[.#]([a-z][\w-]*)\W*$/i)?.[1]?.replace(/-/g, "_") || picked.tag });
      const kind = make("select", { id: "pick-type" }, ...types.map(t => make("option", { selected: t === guess(picked) }, t)));
      const attr = make("select", { id: "pick-attr" }, make("option", { value: "" }, "its text"), picked.href ? make("option", { value: "href" }, "where it leads: " + picked.href.slice(0, 40)) : null, picked.src ? make("option", { value: "src" }, "its picture") : null);
      const many = make("input", { type: "checkbox", id: "pick-many", checked: Boolean(inList), disabled: !picked.each || (fields.length > 0) });
      out.push(make("h3", {}, "What you clicked"), make("p", {}, picked.text.slice(0, 120) || "(no text)"),
        field("name", "", name), field("type", "", kind), field("take", "", attr),
        picked.each ? make("p", {}, make("label", {}, many, ` one of ${picked.members} alike: ${picked.samples.filter(Boolean).join(", ")}`)) : null,
        make("button", { type: "button", onclick: () => {
          const useList = many.checked;
          const f = { name: name.value.trim() || "field", css: useList ? picked.within : picked.css, type: kind.value, attr: attr.value };
          if (f.attr && f.type === "string") f.type = "url";
          if (useList) each = picked.each;
          fields = fields.filter(x => x.name !== f.name).concat(f);
          picked = null;
          draw();
        } }, "Take it"));
    }
    if (fields.length) {
      out.push(make("h3", {}, each ? "Records of this page" : "The record of this page"), each ? make("p", {}, make("small", {}, "each: " + each)) : null,
        make("ul", {}, ...fields.map(f => make("li", {}, `${f.name}: ${f.css || "itself"}${f.attr ? " @" + f.attr : ""} (${f.type}) `, make("button", { type: "button", class: "plain small", "aria-label": `Leave out ${f.name}`, onclick: () => { fields = fields.filter(x => x !== f); if (!fields.length) each = ""; draw() } }, "×")))),
        make("button", { type: "button", onclick: async () => {
          const spec = structuredClone(current());
          const s = { urls: [glob(at)], fields: {} };
          if (each) s.each = each;
          for (const f of fields) s.fields[f.name] = { css: f.css || undefined, attr: f.attr || undefined, type: f.type === "string" ? undefined : f.type };
          spec.extract = [].concat(spec.extract ?? [], s);
          await save(spec);
          state.textContent = "They are part of the job now. Try it, or save it.";
          fields = []; each = "";
          draw();
        } }, "Put into the job"));
    }
    side.replaceChildren(...out.filter(Boolean));
  }
  // Pages like this one: a number or the last part of the path may differ.
  const glob = url => { const u = new URL(url), parts = u.pathname.split("/"); if (each || parts.length <= 2) return u.pathname + (u.search ? "*" : each ? "*" : ""); parts[parts.length - 1] = "*"; return parts.join("/") };
}
