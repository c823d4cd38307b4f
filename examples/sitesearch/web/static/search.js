// Everything works without this: it adds a key and a live line.
"use strict";

const box = document.getElementById("q");
document.addEventListener("keydown", (event) => {
  const typing = /^(input|textarea|select)$/i.test(event.target.tagName);
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
    box.select();
  }
});

const line = document.getElementById("crawl");
async function follow() {
  try {
    const status = await (await fetch("/api/status")).json();
    line.textContent = status.text;
    document.querySelector('label[for="q"]').textContent = `Search ${status.indexed.toLocaleString("en")} pages`;
    if (!status.running) return;
  } catch {
    line.textContent = "The search program has been stopped.";
    return;
  }
  setTimeout(follow, 1000);
}
if ("running" in line.dataset) setTimeout(follow, 1000);
