"use strict";
// Keys follow links that are on the page anyway, so everything works without this file as well.
const KEYS = { j: "next", ArrowRight: "next", k: "previous", ArrowLeft: "previous", Home: "first", End: "last", u: "up" };
const POLL_MS = 1500;

const isTaken = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented ||
  event.target.closest("input, select, textarea, [contenteditable]") ||
  (event.key.startsWith("Arrow") && event.target.closest(".scroll, pre"));

function moveInList(forward) {
  const rows = [...document.querySelectorAll("a[data-row]")];
  const at = rows.indexOf(document.activeElement);
  const row = rows[at < 0 ? 0 : Math.min(Math.max(at + (forward ? 1 : -1), 0), rows.length - 1)];
  if (row) row.focus();
  return Boolean(row);
}

document.addEventListener("keydown", (event) => {
  const wanted = KEYS[event.key];
  if (!wanted || isTaken(event)) return;
  const link = document.querySelector(`a[data-key="${wanted}"]`);
  if (link) {
    event.preventDefault();
    link.click();
  } else if ((event.key === "j" || event.key === "k") && moveInList(event.key === "j")) {
    event.preventDefault();
  }
});

// The list of steps shows the current one, without moving the page.
const current = document.querySelector(".steps [aria-current]");
const steps = current && current.closest(".steps");
if (steps) steps.scrollTop = current.offsetTop - steps.clientHeight / 2;

// At the latest step of an episode in progress, go on to the next one as soon as it is there.
const watched = document.querySelector("[data-watch]");
async function follow() {
  const id = encodeURIComponent(watched.dataset.watch);
  const shown = Number(watched.dataset.steps);
  const answer = await fetch(`/live/count?id=${id}`).catch(() => null);
  if (answer && answer.ok) {
    const { steps: played, done } = await answer.json();
    if (watched.dataset.follow === "yes" && (played > shown || done)) {
      location.replace(`/live/episode?id=${id}&step=last`);
      return;
    }
    if (played > shown) {
      watched.querySelector("[data-status]").textContent = `${played - shown} more since this page was loaded`;
    }
  }
  setTimeout(follow, POLL_MS);
}
if (watched) setTimeout(follow, POLL_MS);
