"use strict";
const feed = document.getElementById("feed"), end = document.getElementById("end");
let busy = false;

async function load() {
  if (busy || !end.dataset.next) return;
  busy = true;
  const text = await (await fetch(`/feed?page=${end.dataset.next}`)).text();
  feed.insertAdjacentHTML("beforeend", text);
  const next = feed.querySelector("template[data-next]");
  end.dataset.next = next ? next.dataset.next : "";
  if (next) next.remove();
  busy = false;
  watcher.unobserve(end); // so that it tells where the end is now, even if that is in view as before
  watcher.observe(end);
}
const watcher = new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting)) load(); });
watcher.observe(end);
