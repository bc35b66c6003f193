"use strict";
const demo = JSON.parse(document.getElementById("demo").textContent);
const byId = (id) => document.getElementById(id);

// An element with a text. Whatever came from elsewhere gets into the page by this: as text, never as markup.
function make(name, className, text = "", ...children) {
  const node = document.createElement(name);
  node.className = className;
  node.textContent = text;
  node.append(...children);
  return node;
}

// Tokens and their like: the beginning and the length tell enough.
const shortened = (text) => (text.length > 72 ? `${text.slice(0, 28)}… (${text.length} characters)` : text);

function pretty(value, indent = "") {
  if (typeof value === "string") return JSON.stringify(shortened(value));
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = indent + "  ";
  const parts = isList
    ? value.map((element) => pretty(element, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pretty(member, inner)}`);
  const line = parts.join(", ");
  if (isList && line.length < 72 && !line.includes("\n")) return `[${line}]`;
  const lines = parts.length ? `\n${parts.map((part) => inner + part).join(",\n")}\n${indent}` : "";
  return isList ? `[${lines}]` : `{${lines}}`;
}

// The claims of a JWT; nothing of a token that is none. The page only shows them: the gateway is who verifies.
function claims(token) {
  const part = String(token).split(".");
  if (part.length !== 3) return null;
  const bytes = Uint8Array.from(atob(part[1].replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

function parsed(text) {
  if (text === "") return undefined;
  try { return JSON.parse(text); } catch { return text; }
}

// The gateway refused; `answer` is what it said.
class Refusal extends Error {
  constructor(answer) {
    super("refused");
    this.answer = answer;
  }
}

function figure(caption, text) {
  const content = make("pre", "", text);
  content.tabIndex = 0;
  content.setAttribute("aria-label", caption);
  return make("figure", "", "", make("figcaption", "", caption), content);
}

// Shows a request in its step, and returns what shows its answer.
function showRequest(step, method, url, body, token) {
  const isGateway = url !== demo.mint;
  const status = make("span", "status", "…");
  const sent = [];
  if (token) sent.push(`Authorization: Bearer ${shortened(token)}`);
  if (body !== undefined) sent.push(pretty(body));
  const pair = make("div", sent.length ? "pair" : "");
  if (sent.length) pair.append(figure("sent", sent.join("\n\n")));
  const path = make("code", "path", isGateway ? url : new URL(url, location).pathname);
  const whose = make("span", "aside", isGateway ? "" : "at the demo's provider: stands for its sign-in dialog");
  const summary = make("summary", "", "", make("code", "method", method), " ", path, " ", status, " ", whose);
  const details = make("details", "", "", summary, pair);
  // The last one is what the step is about; the others are a click away.
  for (const earlier of byId(step).querySelectorAll(".wire details")) earlier.open = false;
  details.open = true;
  byId(step).querySelector(".wire").append(make("li", "", "", details));
  return (answer) => {
    status.textContent = answer ? answer.status : "no answer";
    status.classList.add(answer && answer.status < 300 ? "good" : "bad");
    if (answer) pair.append(figure(sent.length ? "came back" : "came back (sent without a body)", cameBack(url, answer)));
  };
}

function cameBack(url, answer) {
  const parts = [];
  if (answer.challenge) parts.push(`WWW-Authenticate: ${answer.challenge}`);
  if (url === "/.gatehouse/sign-in" && answer.status === 200) parts.push("Set-Cookie: (the session; HttpOnly hides it from scripts)");
  parts.push(answer.body === undefined ? "(no body)" : typeof answer.body === "string" ? answer.body : pretty(answer.body));
  const token = url === demo.mint && answer.status === 200 && claims(answer.body.token);
  if (token) parts.push(`the token says:\n${pretty(token)}`);
  return parts.join("\n\n");
}

// The credential of a request: the cookie of the session, or only the token if there is one, even if it is null.
function credential(token) {
  if (token === undefined) return { headers: {} };
  return { credentials: "omit", headers: token ? { Authorization: `Bearer ${token}` } : {} };
}

// Sends a request, shows both ways, and returns the answer's JSON.
async function send(step, method, url, body, token) {
  const show = showRequest(step, method, url, body, token);
  const options = { method, signal: AbortSignal.timeout(15000), ...credential(token) };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    // As text to the provider, which is another origin: so the browser does not ask before it sends.
    if (url.startsWith("/")) options.headers["Content-Type"] = "application/json";
  }
  let answer = null;
  try {
    const response = await fetch(url, options);
    const challenge = response.headers.get("WWW-Authenticate");
    answer = { status: response.status, challenge, body: parsed(await response.text()) };
  } finally {
    show(answer);
  }
  if (answer.status >= 300) throw new Refusal(answer);
  return answer.body;
}

// How the session was signed in, and what is linked to its account, as far as this page saw it.
const session = { uid: null, how: null, providers: [] };

// The user and the ID token of the Firebase tab, which Firebase's SDK would keep.
const firebase = { user: null, token: null };

const tabs = [...document.querySelectorAll("[role=tab]")];
const selectedPanel = () => tabs.find((tab) => tab.getAttribute("aria-selected") === "true").getAttribute("aria-controls");

function age(seconds) {
  if (seconds < 90) return `${Math.max(seconds, 0)} seconds ago`;
  if (seconds < 3300) return `${Math.round(seconds / 60)} minutes ago`;
  return seconds < 5400 ? "an hour ago" : `${Math.round(seconds / 3600)} hours ago`;
}

function sentence(auth) {
  if (!auth) return "Nobody is signed in.";
  const time = auth.token.auth_time;
  const owner = selectedPanel() === "firebase" ? "token" : "cookie";
  const when = time ? `; the ${owner}'s sign-in was ${age(Math.floor(Date.now() / 1000) - time)}` : "";
  return `${auth.token.name || auth.token.email || "Somebody"}, through ${auth.provider}${when}`;
}

function noteAccount(auth) {
  const uid = auth ? auth.uid : null;
  if (uid === session.uid) return;
  session.uid = uid;
  const identities = auth && auth.token.firebase ? Object.keys(auth.token.firebase.identities || {}) : [];
  session.providers = identities.filter((name) => name !== "email" && name !== "phone");
}

async function showWho() {
  const panel = selectedPanel();
  const options = { cache: "no-store", signal: AbortSignal.timeout(15000) };
  if (panel === "firebase") Object.assign(options, credential(firebase.token));
  const response = await fetch("/.gatehouse/auth", options);
  const body = parsed(await response.text());
  if (panel !== selectedPanel()) return showWho();
  const isGood = response.status === 200;
  byId("auth-status").textContent = response.status;
  byId("auth-status").className = isGood ? "status good" : "status bad";
  byId("auth").textContent = pretty(body === undefined ? null : body);
  byId("who").textContent = isGood ? sentence(body) : `The credential is not accepted: ${body.code}`;
  if (panel === "accounts") {
    noteAccount(isGood ? body : null);
    showProviders();
  }
  return isGood ? body : null;
}

function tell(step, kind, text) {
  const outcome = byId(step).querySelector(".outcome");
  outcome.className = `outcome ${kind}`;
  outcome.textContent = text;
}

// A button for what may come next.
function offer(step, label, action) {
  const button = make("button", "", label);
  button.type = "button";
  button.addEventListener("click", action);
  byId(step).querySelector(".next").append(button);
}

function clear(step) {
  byId(step).querySelector(".next").replaceChildren();
  byId(step).querySelector(".wire").replaceChildren();
}

let isBusy = true;
function setBusy(value) {
  isBusy = value;
  byId("steps").setAttribute("aria-busy", String(value));
}

// Runs a step: one at a time, its last run forgotten, what came of it told.
async function run(step, work) {
  if (isBusy) return;
  setBusy(true);
  clear(step);
  tell(step, "", "Asking …");
  try {
    tell(step, "good", await work(step));
  } catch (problem) {
    explain(step, problem);
  }
  try {
    const auth = await showWho();
    if (step === "sign-in" && session.how && !auth && byId(step).querySelector(".outcome.good")) tell(step, "bad", noCookie);
  } catch {
    byId("who").textContent = "The gateway does not answer.";
  }
  setBusy(false);
}

const noCookie = "Signed in, but this browser did not keep the cookie: Safari keeps Secure cookies only over https. Use another.";

// What a provider hands to the app: an ID token made for one nonce, or GitHub's access token, which has no room for any.
async function proof(step, purpose, how) {
  const wanted = { user: how.person, provider: how.provider };
  if (how.provider === "github.com") {
    if (how.age) wanted.claims = { created_at: new Date(Date.now() - how.age * 1000).toISOString().slice(0, 19) + "Z" };
    const { token } = await send(step, "POST", demo.mint, wanted);
    return { provider: how.provider, access_token: token };
  }
  const { nonce, nonce_sha256 } = await send(step, "POST", "/.gatehouse/nonce", { purpose });
  wanted.nonce = nonce_sha256;
  if (how.age) wanted.auth_age = how.age;
  const { token } = await send(step, "POST", demo.mint, wanted);
  return { provider: how.provider, id_token: token, nonce };
}

const chosen = (step) => ({
  person: byId(`${step}-person`).value,
  provider: byId(`${step}-provider`).value,
  age: step === "sign-in" ? Number(byId("sign-in-age").value) : 0,
});

async function enter(step, body, how) {
  const answer = await send(step, "POST", "/.gatehouse/sign-in", body);
  session.how = { ...how, age: 0 };
  return `Signed in${answer.is_new_user ? ", and a new account was made" : ""}: uid ${answer.uid}`;
}

async function signIn(step) {
  const how = chosen("sign-in");
  const body = await proof(step, "sign-in", how);
  // Apple tells the name beside the token, and only the first time: the app hands it on.
  const person = demo.people.find(({ id }) => id === how.person);
  if (person && how.provider === "apple.com") body.user = { name: person.name };
  return enter(step, body, how);
}

async function call(step, method, path, token) {
  const answer = await send(step, method, path, undefined, token);
  const identity = answer.fields.filter(([name]) => /^x-auth-/i.test(name)).map((field) => field.join(": "));
  return `Passed. The service behind the gateway received ${identity.join(", ")}`;
}

const callSensitive = (step) => call(step, "DELETE", "/v1/account");

async function firebaseSignIn(step, user, seconds) {
  const { token } = await send(step, "POST", demo.mint, seconds ? { user, auth_age: seconds } : { user });
  Object.assign(firebase, { user, token });
  return `Signed in as ${user}; auth_time of the token is ${seconds ? age(seconds) : "now"}.`;
}

const firebaseStepUp = (step) => firebaseSignIn(step, firebase.user || byId("firebase-user").value, 0);

async function firebaseRevoke(step) {
  // A revocation covers the sign-ins before its second.
  const end = (claims(firebase.token).auth_time + 1) * 1000;
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, end - Date.now())));
  await send(step, "POST", "/.gatehouse/sign-out", { everywhere: true }, firebase.token);
  return `Revoked: all tokens of ${firebase.user} with a sign-in before this moment.`;
}

async function reauthenticate(step) {
  const how = session.how || { ...chosen("sign-in"), age: 0 };
  const answer = await send(step, "POST", "/.gatehouse/reauthenticate", await proof(step, "reauthenticate", how));
  return `Recorded for this session: signed in at ${new Date(answer.signed_in_at * 1000).toLocaleTimeString()}`;
}

async function redeem(step, body) {
  const answer = await send(step, "POST", "/.gatehouse/link", body);
  session.providers = answer.providers;
  return `Linked to this account: ${answer.providers.join(", ")}`;
}

async function link(step, consent) {
  const body = await proof(step, "link", chosen("link"));
  return redeem(step, consent ? { ...body, consent: true } : body);
}

async function unlink(step, provider) {
  const answer = await send(step, "POST", "/.gatehouse/unlink", { provider });
  session.providers = answer.providers;
  return `${provider} is unlinked; left: ${answer.providers.join(", ")}`;
}

async function signOut(step, everywhere) {
  await send(step, "POST", "/.gatehouse/sign-out", { everywhere });
  session.how = null;
  return everywhere ? "Every session of this person has ended." : "This session has ended.";
}

function showProviders() {
  byId("providers").textContent = session.providers.join(", ") || "nothing";
  const buttons = session.providers.map((provider) => {
    const button = make("button", "", `Unlink ${provider}`);
    button.type = "button";
    button.addEventListener("click", () => run("unlink", (step) => unlink(step, provider)));
    return button;
  });
  byId("unlink-buttons").replaceChildren(...buttons);
}

function go(step, work) {
  byId(step).scrollIntoView({ block: "start" });
  run(step, work);
}

const toSignIn = (step) => {
  const first = step.startsWith("firebase-") ? "firebase-sign-in" : "sign-in";
  offer(step, "Go to step 1", () => {
    byId(first).scrollIntoView({ block: "start" });
    byId(`do-${first}`).focus();
  });
};

const signInNow = (step) => {
  offer(step, "Sign in once more, just now", () => {
    byId("sign-in-age").value = "0";
    run(step, signIn);
  });
};

// By the code of the refusal: what the app offers the person next.
const remedies = {
  "auth/missing-credential": toSignIn,
  "auth/session-cookie-revoked": toSignIn,
  "auth/session-cookie-expired": toSignIn,
  "auth/id-token-revoked": (step) => (step === "sign-in" ? signInNow(step) : toSignIn(step)),
  "auth/requires-recent-login": (step) => {
    if (step === "sign-in") return signInNow(step);
    offer(step, "Reauthenticate", () => go("reauthenticate", reauthenticate));
  },
  "auth/consent-required": (step) => {
    offer(step, "The person agrees: link", () => run(step, () => link(step, true)));
  },
  "auth/credential-already-in-use": (step, body, how) => {
    if (!body.pending_token) return;
    offer(step, "Sign in to the account that has it", () => {
      go("sign-in", () => enter("sign-in", { pending_token: body.pending_token }, how));
    });
  },
  "auth/account-exists-with-different-credential": (step, body, how) => {
    if (!body.pending_token) return;
    toSignIn(step);
    clear("link");
    tell("link", "", `A sign-in of ${how.provider} waits: sign in the way the account was made, just now, then link it here.`);
    offer("link", `Link the waiting ${how.provider}`, () => {
      run("link", () => redeem("link", { pending_token: body.pending_token }));
    });
  },
};

const signInAgain = (step) => {
  offer(step, "Sign in again", () => go("firebase-step-up", firebaseStepUp));
};

const firebaseRemedies = {
  "auth/missing-credential": toSignIn,
  "auth/id-token-expired": signInAgain,
  "auth/id-token-revoked": signInAgain,
  "auth/requires-recent-login": signInAgain,
};

function explain(step, problem) {
  if (!(problem instanceof Refusal)) return tell(step, "bad", "No answer came. Does the demo still run?");
  const { status, challenge, body } = problem.answer;
  if (!body || !body.code) return tell(step, "bad", `Refused: ${status} ${body && body.error ? body.error : ""}`);
  const maxAge = /max_age="?(\d+)/.exec(challenge || "");
  const wish = maxAge ? ` WWW-Authenticate asks for a sign-in at most ${maxAge[1]} seconds old: max_age="${maxAge[1]}".` : "";
  tell(step, "bad", `Refused: ${status} ${body.code}. ${body.detail || body.title}${wish}`);
  const remedy = (step.startsWith("firebase-") ? firebaseRemedies : remedies)[body.code];
  if (remedy) remedy(step, body, step === "link" || step === "sign-in" ? chosen(step) : null);
}

function fill(select, entries, selected) {
  byId(select).replaceChildren(...entries.map(({ id, label }) => {
    const option = make("option", "", label);
    option.value = id;
    option.selected = id === selected;
    return option;
  }));
}

// Selects a tab and shows its panel.
async function select(tab) {
  for (const other of tabs) {
    other.setAttribute("aria-selected", String(other === tab));
    other.tabIndex = other === tab ? 0 : -1;
    byId(other.getAttribute("aria-controls")).hidden = other !== tab;
  }
  if (!isBusy) await start();
}

// The keys of the tabs pattern of the ARIA Authoring Practices Guide.
function moveTab(event) {
  const last = tabs.length - 1;
  const index = tabs.indexOf(event.currentTarget);
  const target = { ArrowRight: index < last ? index + 1 : 0, ArrowLeft: index ? index - 1 : last, Home: 0, End: last }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  tabs[target].focus();
  select(tabs[target]);
}

// Shows the user of the selected tab.
async function start() {
  setBusy(true);
  try {
    await showWho();
  } catch {
    byId("who").textContent = "The gateway does not answer.";
  }
  setBusy(false);
}

for (const tab of tabs) {
  tab.addEventListener("click", () => select(tab));
  tab.addEventListener("keydown", moveTab);
}
fill("firebase-user", demo.people.map(({ id, label }) => ({ id, label: label.split(",")[0] })));
byId("do-firebase-sign-in").addEventListener("click", () => run("firebase-sign-in", (step) => {
  return firebaseSignIn(step, byId("firebase-user").value, Number(byId("firebase-age").value));
}));
for (const step of ["firebase-call", "firebase-revoked"]) {
  byId(`do-${step}`).addEventListener("click", () => run(step, () => call(step, "GET", "/v1/hello/world", firebase.token)));
}
for (const step of ["firebase-sensitive", "firebase-again"]) {
  byId(`do-${step}`).addEventListener("click", () => run(step, () => call(step, "DELETE", "/v1/account", firebase.token)));
}
byId("do-firebase-step-up").addEventListener("click", () => run("firebase-step-up", firebaseStepUp));
byId("do-firebase-revoke").addEventListener("click", () => {
  if (firebase.token) return run("firebase-revoke", firebaseRevoke);
  clear("firebase-revoke");
  tell("firebase-revoke", "bad", "No user is signed in.");
  toSignIn("firebase-revoke");
});
fill("sign-in-person", demo.people);
fill("link-person", demo.people);
fill("sign-in-provider", demo.providers, "apple.com");
fill("link-provider", demo.providers, "github.com");
byId("sign-in-person").addEventListener("change", () => { byId("link-person").value = byId("sign-in-person").value; });
byId("do-sign-in").addEventListener("click", () => run("sign-in", signIn));
byId("do-sensitive").addEventListener("click", () => run("sensitive", callSensitive));
byId("do-reauthenticate").addEventListener("click", () => run("reauthenticate", reauthenticate));
byId("do-again").addEventListener("click", () => run("again", callSensitive));
byId("do-link").addEventListener("click", () => run("link", (step) => link(step, false)));
byId("do-sign-out").addEventListener("click", () => run("sign-out", (step) => signOut(step, false)));
byId("do-sign-out-everywhere").addEventListener("click", () => run("sign-out", (step) => signOut(step, true)));
// On a phone it would push the steps out of sight.
byId("auth-details").open = matchMedia("(min-width: 62rem)").matches;
start();
