"use strict";
const list = document.getElementById("list"), more = document.getElementById("more");
let page = 0;

async function load() {
  more.disabled = true;
  const answer = await (await fetch(`/api/list?page=${++page}`)).json();
  for (const item of answer.cards) {
    const card = document.createElement("a");
    card.className = "card";
    card.href = item.href;
    const title = document.createElement("h2"), price = document.createElement("p");
    title.textContent = item.title;
    price.textContent = item.price;
    price.className = "price";
    card.append(title, price);
    list.append(card);
  }
  more.disabled = false;
  more.hidden = !answer.more;
}
more.addEventListener("click", load);
load();
