// The frame of the console: the session, the navigation, and the pages by the fragment of the address.
"use strict";
import { button, data, Failure, field, h, report, send, setBusy, setSession, show, text } from "./dom.js";
import { configuration } from "./configuration.js";
import { fleet } from "./fleet.js";
import { live } from "./live.js";
import { overview } from "./overview.js";
import { rules } from "./rules.js";
import { users } from "./users.js";

// In the order of the navigation.
const pages = { overview, users, live, configuration, rules, fleet };

const byId = (id) => document.getElementById(id);
let session = null;
// Ends the requests and the streams of the page that is shown.
let leaving = new AbortController();

// MARK: Session

async function readSession() {
  try {
    return await (await send("GET", "session")).json();
  } catch (error) {
    if (error instanceof Failure && error.status === 401) return null;
    throw error;
  }
}

function begin(found) {
  session = found;
  setSession(found.csrf_token, () => { end(); show("error", text("session_ended")); });
  byId("pages").hidden = false;
  byId("operator").hidden = false;
  const operator = found.email ?? found.name;
  byId("operator").replaceChildren(
    h("span", {}, text(`role:${found.role}`), operator ? [" · ", data(operator)] : null),
    button(text("sign_out"), signOut));
  open();
}

function end() {
  session = null;
  leaving.abort();
  setSession(null, () => {});
  byId("pages").hidden = true;
  byId("operator").hidden = true;
  signInForm();
}

async function signOut() {
  try {
    await send("DELETE", "session");
    end();
    show("status", text("signed_out"));
  } catch (error) { report(error); }
}

function signInForm() {
  const { provider } = byId("view").dataset;
  const form = h("form", { class: "sign-in", submit: signIn },
    field(text("your_name"), { name: "name", type: "text", maxlength: 64, autocomplete: "username" }),
    h("p", { class: "hint", id: "name-hint" }, text("name_hint")),
    field(text("token"), { name: "token", type: "password", required: true, autocomplete: "current-password" }),
    h("p", { class: "hint", id: "token-hint" }, text("token_hint")),
    h("p", {}, h("button", { class: "button primary" }, text("sign_in"))));
  form.querySelector("#field-token").setAttribute("aria-describedby", "token-hint");
  form.querySelector("#field-name").setAttribute("aria-describedby", "name-hint");
  setTitle(text("sign_in"));
  // A link: the policy of the page forbids forms, and the provider is another site.
  const link = h("p", {},
    h("a", { class: "button primary", id: "provider", href: "sign-in" }, text("sign_in_with", { provider })));
  byId("view").replaceChildren(...(provider ? [link] : []), form);
  setBusy(false);
  form.querySelector("input").focus();
}

async function signIn(event) {
  event.preventDefault();
  const form = event.target;
  const [token, name] = ["token", "name"].map((key) => form.elements[key].value.trim());
  show(null);
  setBusy(true);
  try {
    begin(await (await send("POST", "session", { body: name ? { token, name } : { token } })).json());
  } catch (error) {
    show("error", error.status === 401 ? text("wrong_token") : error.explanation ?? text("failed"));
    form.elements.token.select();
  } finally { setBusy(false); }
}

// MARK: Navigation

function setTitle(title) {
  byId("title").textContent = title;
  document.title = `${title} · Gatehouse`;
}

function navigation(current) {
  return h("ul", {}, Object.keys(pages).map((name) =>
    h("li", {}, h("a", { href: `#${name}`, "aria-current": name === current ? "page" : null }, text(`page:${name}`)))));
}

// Opens the page of the fragment: its name, and parameters after a question mark.
async function open() {
  if (!session) return;
  const [wanted, query] = location.hash.slice(1).split("?", 2);
  const name = Object.hasOwn(pages, wanted) ? wanted : Object.keys(pages)[0];
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  byId("pages").replaceChildren(navigation(name));
  setTitle(text(`page:${name}`));
  show(null);
  byId("view").replaceChildren(h("p", { class: "loading" }, text("loading")));
  setBusy(true);
  try {
    await pages[name]({
      view: byId("view"), parameters: new URLSearchParams(query ?? ""), signal, isOperator: session.role === "operator",
    });
  } catch (error) {
    if (signal.aborted) return;
    report(error);
    byId("view").replaceChildren(h("p", {}, button(text("retry"), open)));
  } finally {
    if (!signal.aborted) setBusy(false);
  }
}

async function start() {
  byId("view").replaceChildren(h("p", { class: "loading" }, text("loading")));
  try {
    const found = await readSession();
    if (found) begin(found); else signInForm();
  } catch (error) {
    report(error);
    setBusy(false);
    byId("view").replaceChildren(h("p", {}, button(text("retry"), () => { show(null); start(); })));
  }
}

addEventListener("hashchange", async () => {
  await open();
  byId("main").focus({ preventScroll: true });
  scrollTo(0, 0);
});
// The fragment names the page, so the link cannot use it.
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); byId("main").focus(); });
// A page from the browser's cache may show a session that has ended.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
start();
