// Everything works without this: it adds a key, completions and a live line.
"use strict";

const path = document.body.dataset.path;
const form = document.getElementById("search");
const box = document.getElementById("q");

document.addEventListener("keydown", (event) => {
  const typing = /^(input|textarea|select)$/i.test(event.target.tagName);
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
    box.select();
  }
});

// A filter or an order that is chosen is asked for at once.
form.addEventListener("change", (event) => {
  if (event.target !== box) form.requestSubmit();
});

// Completions, as a listbox of the combobox that the box is.
const list = document.getElementById("completions");
if (list) {
  let asked = 0, chosen = -1, pause;
  const close = () => {
    asked++; // an answer that is still on its way opens nothing
    clearTimeout(pause);
    list.hidden = true;
    list.replaceChildren();
    chosen = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const choose = (n) => {
    const items = list.children;
    if (chosen >= 0) items[chosen].setAttribute("aria-selected", "false");
    chosen = (n + items.length + 1) % (items.length + 1); // behind the last one none is chosen
    if (chosen === items.length) chosen = -1;
    if (chosen < 0) return box.removeAttribute("aria-activedescendant");
    items[chosen].setAttribute("aria-selected", "true");
    items[chosen].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", items[chosen].id);
  };
  const take = (item) => {
    box.value = item.dataset.text;
    close();
  };
  const complete = async () => {
    const turn = ++asked;
    let found = [];
    try {
      found = (await (await fetch(path + "api/suggest?q=" + encodeURIComponent(box.value))).json()).completions ?? [];
    } catch { } // the search itself will say what is wrong
    if (turn !== asked) return;
    close();
    found = found.filter((c) => c.text !== box.value);
    if (!found.length || document.activeElement !== box) return;
    for (const [i, c] of found.entries()) {
      const item = document.createElement("li");
      item.id = "completion" + i;
      item.role = "option";
      item.ariaSelected = "false";
      item.dataset.text = c.text;
      const count = document.createElement("small");
      count.textContent = c.docs.toLocaleString("en");
      item.append(c.text, count);
      item.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
      item.addEventListener("click", () => {
        take(item);
        form.requestSubmit();
      });
      list.append(item);
    }
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
  };
  box.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(complete, 80);
  });
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    switch (event.key) {
      case "ArrowDown": choose(chosen + 1); break;
      case "ArrowUp": choose(chosen < 0 ? list.children.length - 1 : chosen - 1); break;
      case "Escape": close(); break;
      case "Enter": // which then submits the form
        if (chosen < 0) close();
        else take(list.children[chosen]);
        return;
      default: return;
    }
    event.preventDefault();
  });
}

// The line at the foot.
const line = document.getElementById("status");
async function follow() {
  try {
    const status = await (await fetch(path + "api/status")).json();
    line.textContent = status.text;
    const count = document.getElementById("documents");
    count.textContent = count.textContent.replace(/^[\d,]+/, status.documents.toLocaleString("en"));
    if (!status.running) return;
  } catch {
    line.textContent = "The search program has been stopped.";
    return;
  }
  setTimeout(follow, 1000);
}
if ("running" in line.dataset) setTimeout(follow, 1000);
