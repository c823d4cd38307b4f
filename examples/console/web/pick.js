// Runs in the sandbox of the page that is picked from. It tells the editor which element was
// clicked: a selector of it alone, and, where it lies in a list, one of the members of the list
// and one of the element within a member.
"use strict";
(() => {
  const style = document.createElement("style");
  style.textContent = ".quarry-over{outline:3px solid #d2691e !important;cursor:crosshair !important}.quarry-same{outline:2px dashed #1c4a94 !important;background:rgb(28 74 148 / .12) !important}";
  document.head.append(style);
  const own = c => c && !c.startsWith("quarry-") && !/\d{3,}/.test(c) && /^[A-Za-z_][\w-]*$/.test(c);
  const classes = el => [...el.classList].filter(own);
  const count = (css, root = document) => { try { return root.querySelectorAll(css).length } catch { return 0 } };
  const named = el => {
    const cs = classes(el);
    return el.localName + cs.slice(0, 2).map(c => "." + c).join("");
  };
  // One step of a path: the element among its siblings.
  const step = el => {
    if (el.id && /^[A-Za-z_][\w-]*$/.test(el.id) && !/\d{2,}/.test(el.id)) return "#" + el.id;
    return named(el);
  };
  const nth = el => {
    const same = [...el.parentElement.children].filter(s => s.localName === el.localName);
    return same.length > 1 ? el.localName + ":nth-of-type(" + (same.indexOf(el) + 1) + ")" : el.localName;
  };
  // The shortest path from root to el that means el alone.
  const alone = (el, root) => {
    const within = root || document;
    const attr = el.getAttribute("itemprop");
    if (attr && count(`[itemprop="${attr}"]`, within) === 1) return `[itemprop="${attr}"]`;
    let path = step(el);
    if (count(path, within) === 1) return path;
    let exact = nth(el), at = el.parentElement;
    for (; at && at !== root && at !== document.documentElement; at = at.parentElement) {
      if (count(step(at) + " " + path, within) === 1) return step(at) + " " + path;
      if (count(step(at) + " > " + exact, within) === 1) return step(at) + " > " + exact;
      exact = (at.parentElement ? nth(at) : at.localName) + " > " + exact;
    }
    return root ? exact : "body > " + exact.replace(/^body > /, "");
  };
  const alike = (a, b) => a.localName === b.localName && (classes(a).length === 0 ? classes(b).length === 0 : classes(a).some(c => b.classList.contains(c)));
  // The member of a list that el lies in: the outermost one of several that are alike, below body.
  const member = el => {
    let found = null;
    for (let at = el; at && at.parentElement && at !== document.body; at = at.parentElement) {
      const same = [...at.parentElement.children].filter(s => alike(at, s));
      if (same.length >= 2 && (!found || same.length >= found.same.length)) found = { el: at, same };
    }
    return found;
  };
  const each = m => {
    const shared = classes(m.el).filter(c => m.same.every(s => s.classList.contains(c)));
    const css = m.el.localName + shared.slice(0, 2).map(c => "." + c).join("");
    if (count(css) === m.same.length) return css;
    return step(m.el.parentElement) + " > " + css;
  };
  const mark = (css, root) => {
    document.querySelectorAll(".quarry-same").forEach(e => e.classList.remove("quarry-same"));
    if (!css) return;
    const roots = root ? document.querySelectorAll(root) : [document];
    roots.forEach(r => r.querySelectorAll(css).forEach(e => e.classList.add("quarry-same")));
  };
  let over = null;
  document.addEventListener("mouseover", e => {
    if (over) over.classList.remove("quarry-over");
    over = e.target;
    over.classList.add("quarry-over");
  });
  document.addEventListener("click", e => {
    e.preventDefault();
    e.stopPropagation();
    const el = e.target;
    el.classList.remove("quarry-over");
    const m = member(el);
    const msg = { quarry: "picked", css: alone(el), text: el.textContent.trim().slice(0, 200), tag: el.localName,
      href: el.closest("[data-quarry-href]")?.getAttribute("data-quarry-href") || "", src: el.getAttribute("data-quarry-src") || "" };
    if (m) {
      msg.each = each(m);
      msg.members = count(msg.each);
      msg.within = el === m.el ? "" : alone(el, m.el).replace(/^:scope > /, "");
      msg.samples = [...document.querySelectorAll(msg.each)].slice(0, 3).map(c => (msg.within ? c.querySelector(msg.within) : c)?.textContent.trim().slice(0, 60) || "");
      mark(msg.within || msg.each, msg.within ? msg.each : "");
    } else mark(msg.css);
    parent.postMessage(msg, "*");
  }, true);
  document.addEventListener("submit", e => e.preventDefault(), true);
})();
