// Elements, texts, and calls of the admin API. Every value becomes text: no function makes markup of a string.
"use strict";

const byId = (id) => document.getElementById(id);
const texts = JSON.parse(byId("texts").textContent);
const language = document.documentElement.lang;

// Returns the text of a key. {name} is the value of a parameter. An unknown key is shown itself.
export function text(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}
export const hasText = (key) => key in texts;

// Characters that are invisible or reorder the text around them, except line feeds and tabs.
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
// Returns a value with each of these characters as its code.
export const visible = (value) =>
  String(value ?? "").replace(hidden, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);

// Returns the text of a key as nodes, in which the values are data of users.
export function message(key, values = {}) {
  return (texts[key] ?? key).split(/\{(\w+)\}/).map((part, index) =>
    index % 2 ? h("bdi", {}, visible(values[part] ?? `{${part}}`)) : part);
}

// Creates an element. Attributes that are null or false are left out; functions are listeners of events.
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => child instanceof Node ? child : String(child)));
  return element;
}

export const button = (label, run, style = "") =>
  h("button", { type: "button", class: `button ${style}`, click: run }, label);

// Data of users, isolated from the direction of the text around it.
export const data = (value) => h("bdi", { class: "data" }, breakable(visible(value)));

// A long value without spaces can wrap after punctuation, or after 16 characters.
function breakable(value) {
  if (value.length <= 24 || /\s/.test(value)) return value;
  const parts = value.match(/[^/?&=@._]{1,16}[/?&=@._]*|[/?&=@._]+/gu);
  return parts.flatMap((part, index) => index ? [h("wbr"), part] : [part]);
}

export function field(label, attributes, ...options) {
  const id = `field-${attributes.name}`;
  const name = options.length ? "select" : "input";
  return h("p", { class: "field" }, h("label", { for: id }, label),
    h(name, { id, spellcheck: "false", autocapitalize: "none", ...attributes }, options));
}

// A list of names and values. A value of null is left out.
export function facts(...pairs) {
  return h("dl", {}, pairs.filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

// A table that scrolls within itself. On small screens, each row becomes a list of names and values, except with
// `style` "wide".
export function table(caption, columns, rows, style = "rows") {
  const body = rows instanceof Node ? rows : h("tbody", {}, rows.map((cells) => row(columns, cells)));
  return h("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
    h("table", { class: style }, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col" }, column)))), body));
}

// Small screens show the name of the column beside the value.
export const row = (columns, cells) => h("tr", {}, cells.map((cell, index) => index === 0
  ? h("th", { scope: "row" }, cell) : h("td", { "data-name": columns[index] }, h("div", {}, cell))));

export function section(title, ...content) {
  const id = `part-${section.count = (section.count ?? 0) + 1}`;
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), content);
}

export const badge = (label, kind) => h("span", { class: `badge ${kind}` }, label);

const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
// A time in seconds since 1970, within the range of dates.
export function time(seconds) {
  if (seconds === null || seconds === undefined) return text("never");
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  return h("time", { datetime: date.toISOString() }, times.format(date));
}

export const number = (value, digits = 0) =>
  new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);

export const milliseconds = (value) => value < 1000 ? text("ms", { value: number(value, 1) })
  : new Intl.NumberFormat(language, { style: "unit", unit: "second", unitDisplay: "short", maximumFractionDigits: 1 })
    .format(value / 1000);

export function seconds(value) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = units.find(([, size]) => value >= 2 * size) ?? units[3];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 })
    .format(value / size);
}

// Shows a message above the page: an error or a result, as text or nodes. Without one, it removes both.
export function show(kind, content = []) {
  for (const id of ["error", "status"]) fill(replaced(id), {}, kind === id ? [content] : []);
  if (kind) byId(kind).scrollIntoView({ block: "nearest" });
}

function replaced(id) {
  byId(id).replaceChildren();
  return byId(id);
}

export function setBusy(isBusy) { byId("main").setAttribute("aria-busy", isBusy); }

// MARK: Calls

export class Failure extends Error {
  constructor(status, code, detail) {
    super(detail);
    Object.assign(this, { status, code });
  }
  // What happened and what to do, for people.
  get explanation() {
    if (this.status === 0) return text("unreachable");
    const [known, detail] = [`error:${this.code}`, visible(this.message)];
    return hasText(known) ? `${text(known)} ${detail}`.trim() : detail || text("failed");
  }
}

let csrf = null;
let whenSignedOut = () => {};
export function setSession(token, signedOut) { [csrf, whenSignedOut] = [token, signedOut]; }

// Joins segments to a path. Browsers remove "." and ".." from paths, also when they are encoded, so that such a name
// would be another path.
export function path(...segments) {
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw new Failure(400, "console/name", text("bad_name"));
  }
  return segments.map(encodeURIComponent).join("/");
}

// Returns the query of pairs of names and values.
export const query = (pairs) =>
  pairs.map((pair) => pair.map((part) => encodeURIComponent(part.trim())).join("=")).join("&");

// Sends a request. `isBackground` marks requests that no operator caused: they do not prolong the session.
export async function send(method, address, { body, isBackground = false, signal } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (csrf) headers["X-CSRF-Token"] = csrf;
  if (isBackground) headers["X-Console-Background"] = "1";
  let response;
  try {
    response = await fetch(address, {
      method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin", redirect: "error", cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, "console/unreachable", "");
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  if (response.status === 401 && csrf) whenSignedOut();
  throw new Failure(response.status, String(problem.code ?? ""), String(problem.detail ?? ""));
}

export const api = async (method, address, options) => (await send(method, `api/v1/${address}`, options)).json();

// Shows a failure of an action or of a page.
export function report(error) {
  if (error.name === "AbortError" || error.status === 401) return;
  show("error", error instanceof Failure ? error.explanation : text("failed"));
  if (!(error instanceof Failure)) console.error(error);
}

// MARK: Confirmation

// Asks before a change. Resolves to whether the operator confirms.
export function confirm(title, question, action) {
  const dialog = byId("confirm");
  byId("confirm-title").textContent = title;
  fill(replaced("confirm-text"), {}, [question]);
  const yes = byId("confirm-yes");
  yes.textContent = action;
  return new Promise((resolve) => {
    let isConfirmed = false;
    yes.onclick = () => { isConfirmed = true; dialog.close(); };
    byId("confirm-no").onclick = () => dialog.close();
    dialog.onclose = () => resolve(isConfirmed);
    dialog.showModal();
    byId("confirm-no").focus();
  });
}

// Repeats an update until the page is left. A page that is not visible does not update.
export async function poll(signal, interval, update) {
  while (!signal.aborted) {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, interval);
      signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
    });
    if (signal.aborted || document.hidden) continue;
    try { await update(); } catch (error) { if (!signal.aborted) report(error); }
  }
}
