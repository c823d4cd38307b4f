// Everything works without this: it adds a key, filters that act at once and a
// live line.
"use strict";

const box = document.getElementById("q"), search = document.getElementById("search");
document.addEventListener("keydown", (event) => {
  const typing = /^(input|textarea|select)$/i.test(event.target.tagName) && event.target.type !== "checkbox";
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
    box.select();
  }
});

// A filter submits the form, and has the focus again on the next page.
search.addEventListener("change", (event) => {
  if (event.target === box) return;
  sessionStorage.setItem("focus", event.target.value && event.target.name === "shop" ? `shop=${event.target.value}` : event.target.id);
  search.requestSubmit();
});
search.addEventListener("submit", () => {
  for (const field of search.elements) {
    if (field.name && !field.value) field.disabled = true; // out of the address
  }
});
addEventListener("pageshow", () => {
  for (const field of search.elements) field.disabled = false;
});
const last = sessionStorage.getItem("focus");
sessionStorage.removeItem("focus");
if (last) {
  const field = last.startsWith("shop=") ? [...search.elements].find((f) => f.name === "shop" && f.value === last.slice(5)) : document.getElementById(last);
  if (field) field.focus();
} else if (search.querySelector(".filters") && !location.search) {
  box.focus();
}

const line = document.getElementById("status");
async function follow() {
  try {
    const status = await (await fetch("/api/status")).json();
    line.textContent = status.text;
    if (!status.running) {
      if (document.activeElement !== box || !box.value) location.reload(); // the answers may be others now
      return;
    }
  } catch {
    line.textContent = "The program has been stopped.";
    return;
  }
  setTimeout(follow, 700);
}
if ("running" in line.dataset) setTimeout(follow, 700);
