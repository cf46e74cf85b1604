// Without this script a page is read and its forms are sent; with it the page is live, and has keys and a drawer.
(() => {
const doc = document, $ = (q, at = doc) => at.querySelector(q), all = (q, at = doc) => [...at.querySelectorAll(q)];
const on = (name, act, at = doc) => at.addEventListener(name, act), { token } = doc.body.dataset, door = $("#door");
if (door && location.hash) { door.key.value = location.hash.slice(1); door.submit() }
if (!token) return;
let { rev } = doc.body.dataset, timer, feed, busy = 0, edits = 0, drawn, drag, heard = 0;
const side = $("#drawer"), told = $("#told"), cmds = $("#palette"), body = $(".in", side), quiet = +doc.body.dataset.quiet,
mod = e => e.ctrlKey || e.metaKey || e.altKey, stop = e => e.preventDefault(), say = text => { $("#say").textContent = text; clearTimeout(timer); timer = setTimeout(say, 4e3, "") },
now = () => doc.activeElement, gone = is => $("#gone").hidden = !is,
get = (url, body) => fetch(url, { method: body && "POST", body, headers: { "Cairn-Token": token } }),
to = a => a.getAttribute("href") ?? a.getAttribute("action"), main = async r => $("main", new DOMParser().parseFromString(await r.text(), "text/html"));

// What was typed stays, and so do open details; a form whose record changed meanwhile says so.
const callbacks = { beforeNodeMorphed(old, now) {
  if (!old.dataset?.dirty) return;
  old.classList.toggle("changed", old.dataset.rev !== now.dataset.rev);
  return false;
}, beforeAttributeUpdated: name => name !== "open" };
const morph = (at, html) => Idiomorph.morph(at, html, { morphStyle: "innerHTML", ignoreActiveValue: now().matches("input, textarea, select"), callbacks });
async function load() {
  if (busy++) return;
  try {
    const r = await get(location), at = r.headers.get("Cairn-Rev");
    gone(!at);
    if (at) { morph($("#page"), await r.text()); rev = at }
    if (side.open) await draw(drawn);
  } catch { gone(1) }
  const more = busy - 1;
  busy = 0;
  more && load();
}
async function draw(url) {
  const { innerHTML } = await main(await get(url));
  if (drawn !== url) body.textContent = "";
  drawn = url;
  morph(body, innerHTML);
}

// One stream while the page is seen. Each word of it has the revision, which tells whether something was missed. Where the
// signs of life stay away, as after a night asleep, the connection is dead without notice.
function live() {
  feed = feed?.close();
  if (doc.hidden) return;
  heard = Date.now();
  feed = new EventSource("/live");
  on("rev", e => { heard = Date.now(); gone(); e.data.split(" ")[0] === rev || load() }, feed);
  on("said", e => say(e.data), feed);
  feed.onerror = () => { feed.close(); gone(1); heard = Date.now() - quiet + 3e3 };
}
setInterval(() => { if (feed && Date.now() - heard > quiet) { gone(1); live() } }, 1e3);
on("visibilitychange", live);
live();
// What no record says: the log and the files of a job.
setInterval(() => doc.hidden || $("[data-follow]") && load(), 2e3);

// A refusal is shown, and the page drawn anew, which takes a moved card back.
async function write(url, data) {
  const r = await get(url, new URLSearchParams(data)).catch(gone);
  if (!r) return;
  if (r.ok) { told.close(); say(await r.text()) } else {
    $(".in", told).replaceChildren(...(await main(r)).childNodes);
    told.open || told.showModal();
  }
  await load();
  return r.ok;
}
on("submit", async e => {
  const f = e.target;
  if (f.method !== "post") return;
  stop(e);
  if (!await write(to(f), new FormData(f, e.submitter))) return;
  // What was confirmed, or saved after all, in the dialog was typed in another form of the same.
  for (const o of all("[data-dirty]")) if (to(o) === to(f) && o.elements.id?.value === f.elements.id?.value) { delete o.dataset.dirty; o.reset() }
  f.dataset.then ? location = f.dataset.then : load();
});
// A form that is sent twice does one thing; one that was changed is another.
on("input", e => { const f = e.target.form, key = f?.elements.idempotency_key; if (key) { f.dataset.dirty = 1; key.value = key.defaultValue + "." + edits++ } });
async function move({ dataset: { id, starts } }, to) {
  const card = () => $(`.card[data-id="${id}"]`), col = $(`ul.col[data-to="${to}"]`);
  if (card()?.matches("li")) col?.prepend(card());
  await (starts === to ? write("/do/start", { id }) : write("/do/transition", { id, to }));
  $(".t", card() || doc)?.focus();
}
on("dragstart", e => { drag = e.target.closest?.("li.card"); e.target.closest?.("#net") && stop(e) });
on("dragover", e => drag && stop(e));
on("drop", e => { const col = e.target.closest("ul.col"); if (col && drag && !col.contains(drag)) move(drag, col.dataset.to) });

async function open(url) { await draw(url); $(".whole", side).href = url; side.open || side.showModal() }
on("click", async e => {
  const t = e.target, a = t.closest('a[href^="/task/"]:not(.whole)'), line = t.closest("[data-at]"), box = $("#verdict textarea"), zoom = t.closest(".zoom");
  if (t.matches("dialog, .x")) t.closest("dialog").close();
  if (a && !mod(e)) { stop(e); open(to(a)) }
  if (line && box) { box.value += (box.value && "\n") + line.dataset.at + ":\x20"; box.focus() }
  if (!zoom || mod(e)) return;
  // A graph of another size keeps the place that was seen.
  stop(e);
  const g = $(".graph"), was = g.scrollWidth, half = g.clientWidth / 2, x = g.scrollLeft + half, y = g.scrollTop;
  history.replaceState(0, "", zoom);
  await load();
  g.scrollTo(x * g.scrollWidth / was - half, y * g.scrollWidth / was);
});
on("close", () => body.textContent = "", side);

// A graph is moved by what holds it.
on("pointermove", e => e.buttons === 1 && e.target.closest(".graph")?.scrollBy(-e.movementX, -e.movementY));

// Commands: all that the page marks as one.
function offer() {
  const q = $("input", cmds).value.toLowerCase();
  $("ul", cmds).replaceChildren(...all("[data-cmd]", side.open ? side : doc).filter(c => c.textContent.toLowerCase().includes(q)).map(c => Object.assign(doc.createElement("button"), { textContent: c.textContent, onclick() { cmds.close(); c.click() } })));
}
on("input", offer, cmds);
on("submit", e => $("button", cmds)?.click(stop(e)), cmds);

// Keys, as on the board in a terminal.
const here = () => now().closest(".card") || $("[data-task]", side.open ? side : doc);
const pick = (list, i) => list[Math.max(0, Math.min(i, list.length - 1))]?.focus();
const links = () => all(".card .t, a.bx, [data-at]"), step = by => pick(links(), links().indexOf(now()) + by);
function beside(by) {
  const li = now().closest("li.card"), cols = all("ul.col:has(.t)"), i = cols.indexOf(li?.parentNode), col = cols[i + by];
  li && col ? pick(all(".t", col), all("li", cols[i]).indexOf(li)) : li || step(by);
}
function shift(by) {
  const card = here(), to = all(".heads h2").map(h => h.dataset.to), i = to.indexOf((card.closest("ul") || card).dataset.to);
  if (to[i + by]) move(card, to[i + by]);
}
const does = { j: () => step(1), k: () => step(-1), l: () => beside(1), h: () => beside(-1), g: () => pick(links(), 0), G: () => pick(links(), 1e9),
  ">": () => shift(1), "<": () => shift(-1), v: () => doc.body.classList.toggle("tight") };
function key(k) {
  const el = $(`[data-key="${CSS.escape(k)}"]`, side.open ? side : doc), card = here();
  if (el) { el.closest("details")?.setAttribute("open", ""); el.matches("[type=checkbox], a, button, summary") ? el.click() : el.focus() }
  else if (does[k]) does[k]();
  else if (card && !side.open && "mnetcrud".includes(k)) open(to($(".t, a", card) || card)).then(() => key(k));
  else return;
  return 1;
}
// Of the arrows the sixth letter says which.
on("keydown", e => {
  e.key === "Enter" && e.target.dataset.at && e.target.click(stop(e));
  if (mod(e) && e.key === "k") { stop(e); offer(); cmds.showModal() }
  if (!mod(e) && !e.target.matches("input:not([type=checkbox]), textarea, select") && !$("dialog[open]:not(#drawer)") && key(!side.open && "jklh"["DURL".indexOf(e.key[5])] || e.key)) stop(e);
});
})();
