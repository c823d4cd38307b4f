"use strict";
const dialog = document.getElementById("consent"), enter = document.getElementById("enter");

function agreed() {
  dialog.hidden = true;
  document.body.classList.remove("covered");
  if (enter) enter.disabled = false;
}
if (document.cookie.includes("consent=")) {
  agreed();
} else {
  dialog.hidden = false;
  document.body.classList.add("covered");
}
for (const choice of dialog.querySelectorAll("button")) {
  choice.addEventListener("click", () => {
    document.cookie = `consent=${choice.id}; path=/; samesite=lax`;
    agreed();
  });
}
for (const place of document.querySelectorAll("[data-price]")) {
  fetch(place.dataset.price).then((answer) => answer.text()).then((text) => {
    place.textContent = text;
    place.classList.remove("pending");
  });
}
