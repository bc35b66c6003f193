// The page of users: find one, see state, links, sessions and activity, and change them.
"use strict";
import {
  api, badge, button, confirm, data, facts, Failure, field, h, message, number, path, query, report, section, setBusy,
  show, table, text, time,
} from "./dom.js";

let context = null;

export async function users(page) {
  context = page;
  const found = h("div", { id: "user" });
  page.view.replaceChildren(finder(page.parameters), found);
  const user = Object.fromEntries(
    ["uid", "tenant", "project"].map((name) => [name, page.parameters.get(name) || null]));
  if (user.uid) await load(user, found);
  else found.replaceChildren(h("p", { class: "empty" }, text("users_empty")));
}

// MARK: Find

// The form has the fields of one kind of name at a time.
function finder(parameters) {
  const input = (name, label, isRequired) => field(text(label), {
    name, type: "text", value: parameters.get(name) ?? "", required: isRequired, autocomplete: "off",
  });
  const kinds = {
    uid: [input("uid", "uid", true), input("tenant", "tenant_optional"), input("project", "project_optional")],
    email: [input("email", "email", true)],
    identity: [input("provider", "provider", true), input("subject", "subject", true)],
  };
  const inputs = h("div", { class: "inputs" }, kinds.uid);
  const kind = field(text("find_by"), {
    name: "kind", change: (event) => inputs.replaceChildren(...kinds[event.target.value]),
  }, Object.keys(kinds).map((name) => h("option", { value: name }, text(`by:${name}`))));
  return h("form", { class: "find", role: "search", "aria-label": text("find_user"), submit: find },
    kind, inputs, h("p", { class: "field" }, h("button", { class: "button primary" }, text("find"))));
}

async function find(event) {
  event.preventDefault();
  const values = [...new FormData(event.target)].filter(([name, value]) => name !== "kind" && value.trim());
  if (event.target.elements.kind.value === "uid") return openUser(values);
  show(null);
  try {
    const { users: [found] } = await api("GET", `accounts?${query(values)}`, { signal: context.signal });
    if (found) openUser(Object.entries(found));
    else show("error", text("not_found"));
  } catch (error) { report(error); }
}

function openUser(values) {
  const target = `#users?${new URLSearchParams(values.map(([name, value]) => [name, value.trim()]))}`;
  if (target === location.hash) dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = target;
}

// Returns the path of a user's record or account, or of something below it.
const below = (kind) => ({ project, tenant, uid }, ...rest) => path(
  ...(project ? ["projects", project] : []), ...(tenant ? ["tenants", tenant] : []), kind, uid, ...rest);
const [owner, holder] = [below("users"), below("accounts")];

// MARK: Show

// Reads an optional part of the page. A part that fails is a message in its place.
async function part(read, shown) {
  try { return shown(await read()); } catch (error) {
    if (!(error instanceof Failure) || error.status === 401) throw error;
    return h("p", { class: "empty" }, text("part_failed", { reason: error.explanation }));
  }
}

async function load(user, found) {
  const { signal } = context;
  const record = await api("GET", owner(user), { signal });
  const account = await part(
    () => api("GET", holder(user), { signal }), (account) => accountSection(account, user, found));
  const sessions = await part(
    () => api("GET", owner(user, "sessions"), { signal }), ({ sessions }) => sessionsSection(sessions, user, found));
  const activity = await part(() => api("GET", owner(user, "activity"), { signal }), activitySection);
  found.replaceChildren(
    stateSection(record, user, found), account, sessions, activity, sessionSection(user));
}

// Performs a change after a confirmation, shows its result, and reads the user again.
async function change(event, { title, question, address, done, user, found }) {
  const label = event.target.textContent;
  if (!await confirm(title, question, label)) return;
  setBusy(true);
  try {
    const result = await api("POST", address);
    await load(user, found);
    const copy = result.write_back?.identity_toolkit;
    show("status", copy && copy !== "off" ? [done, " ", text(`write_back:${copy}`)] : done);
  } catch (error) { report(error); } finally { setBusy(false); }
}

function stateSection(record, user, found) {
  const action = (name, style) => button(text(`user:${name}`), (event) => change(event, {
    title: text(`user:${name}`), question: message(`ask:${name}`, { uid: user.uid }), address: owner(user, name),
    done: message(`done:${name}`, { uid: user.uid }), user, found,
  }), style);
  const buttons = [
    action("revoke", "danger"), record.valid_since === null ? null : action("unrevoke"),
    record.disabled ? action("enable") : action("disable", "danger"),
  ];
  return section(text("state"),
    facts([text("uid"), data(record.uid)], [text("project"), record.project && data(record.project)],
      [text("tenant"), record.tenant && data(record.tenant)],
      [text("state"), record.disabled ? badge(text("disabled"), "bad") : badge(text("active"), "good")],
      [text("revocation"), record.valid_since === null ? text("not_revoked")
        : [text("revoked_before"), " ", time(record.valid_since)]]),
    context.isOperator ? h("div", { class: "buttons" }, buttons) : null);
}

function accountSection(account, user, found) {
  if (account.created_at === null && account.deleted_at === null && !account.links.length && !account.email) {
    return section(text("account"), h("p", { class: "empty" }, text("no_account")));
  }
  const unlink = (link) => button(text("unlink"), (event) => change(event, {
    title: text("unlink"), question: message("ask:unlink", { provider: link.provider, uid: user.uid }),
    address: holder(user, "links", link.provider, "unlink"),
    done: message("done:unlink", { provider: link.provider }), user, found,
  }), "danger");
  const remove = button(text("delete_account"), (event) => change(event, {
    title: text("delete_account"), question: message("ask:delete", { uid: user.uid }),
    address: holder(user, "delete"), done: message("done:delete", { uid: user.uid }), user, found,
  }), "danger");
  const columns = [text("provider"), text("subject"), ...(context.isOperator ? [text("action")] : [])];
  const rows = account.links.map((link) =>
    [data(link.provider), data(link.subject), ...(context.isOperator ? [unlink(link)] : [])]);
  const former = account.unlinked.map((link) => [data(link.provider), data(link.subject)]);
  return section(text("account"),
    facts([text("created"), account.created_at === null ? text("not_by_gateway") : time(account.created_at)],
      [text("deleted"), account.deleted_at === null ? null : time(account.deleted_at)],
      [text("name"), account.name && data(account.name)],
      [text("email"), account.email && [data(account.email), " ",
        account.email_verified ? badge(text("verified"), "good") : badge(text("unverified"), "neutral")]],
      [text("email_from"), account.email_from && data(account.email_from)]),
    rows.length ? table(text("links"), columns, rows) : h("p", { class: "empty" }, text("no_links")),
    former.length ? table(text("unlinked"), columns.slice(0, 2), former) : null,
    account.unlinked_more ? h("p", {}, text("unlinked_more")) : null,
    context.isOperator && account.created_at !== null && account.deleted_at === null
      ? h("div", { class: "buttons" }, remove) : null);
}

// The sessions of the gateway. The ID of a session is public; it does not reveal the session's name.
function sessionsSection(sessions, user, found) {
  const end = ({ id }) => button(text("end_session"), (event) => change(event, {
    title: text("end_session"), question: message("ask:end_session", { session: id, uid: user.uid }),
    address: owner(user, "sessions", id, "revoke"), done: message("done:end_session", { session: id }), user, found,
  }), "danger");
  const columns = ["session_id", "started", "last_used", "ends", "provider", "proof", "user_agent",
    ...(context.isOperator ? ["action"] : [])].map((name) => text(name));
  const known = (value) => value === null ? text("unknown") : data(value);
  const rows = sessions.map((session) => [
    data(session.id), time(session.started_at), time(session.last_used_at), time(session.ends_at),
    known(session.provider), session.proof === null ? text("not_proved") : text(`proof:${session.proof}`),
    known(session.user_agent), ...(context.isOperator ? [end(session)] : []),
  ]);
  return section(text("sessions"),
    rows.length ? table(text("sessions"), columns, rows) : h("p", { class: "empty" }, text("no_sessions")),
    h("p", { class: "hint" }, text("sessions_hint")));
}

// The denials and sign-ins that this gateway remembers.
function activitySection({ since, denials, sign_ins: signIns }) {
  const columns = (...names) => names.map((name) => text(name));
  return section(text("activity"), h("p", { class: "hint" }, text("activity_since"), " ", time(since)),
    denials.length || signIns.length ? null : h("p", { class: "empty" }, text("no_activity")),
    signIns.length ? table(text("sign_ins"), columns("at", "kind", "provider"), signIns.map((one) =>
      [time(one.at), text(`kind:${one.kind}`), one.provider === null ? text("unknown") : data(one.provider)])) : null,
    denials.length ? table(text("denials"), columns("at", "code", "phase", "route", "count"), denials.map((one) =>
      [time(one.at), data(one.code), data(one.phase), one.route === null ? text("none") : data(one.route),
        number(one.count)])) : null);
}

function sessionSection(user) {
  const result = h("div", {});
  const look = async (event) => {
    event.preventDefault();
    show(null);
    const session = event.target.elements.session.value.trim();
    try { await loadSession(user, session, result); } catch (error) { report(error); }
  };
  return section(text("session"), h("form", { class: "find", submit: look },
    field(text("session_id"), { name: "session", type: "text", required: true, autocomplete: "off", maxlength: 1024 }),
    h("p", { class: "field" }, h("button", { class: "button" }, text("find")))),
  h("p", { class: "hint" }, text("session_hint")), result);
}

async function loadSession(user, session, result) {
  const record = await api("GET", owner(user, "sessions", session), { signal: context.signal });
  const end = button(text("end_session"), async (event) => {
    const question = message("ask:end_session", { session, uid: user.uid });
    if (!await confirm(text("end_session"), question, event.target.textContent)) return;
    try {
      await api("POST", owner(user, "sessions", session, "revoke"));
      await loadSession(user, session, result);
      show("status", message("done:end_session", { session }));
    } catch (error) { report(error); }
  }, "danger");
  result.replaceChildren(
    facts([text("session_id"), data(record.session)],
      [text("state"), record.revoked ? badge(text("ended"), "bad") : badge(text("not_ended"), "good")],
      [text("signed_in"), record.signed_in_at === null ? text("not_recorded") : time(record.signed_in_at)]),
    ...(context.isOperator && !record.revoked ? [h("div", { class: "buttons" }, end)] : []));
}
