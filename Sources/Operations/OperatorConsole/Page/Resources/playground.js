// The playground of the rules: evaluates them for a request and a user that the operator states.
"use strict";
import {
  api, badge, data, facts, Failure, field, h, report, section, seconds, setBusy, show, table, text,
} from "./dom.js";

const kinds = { allow: "good", deny: "bad", "step-up": "neutral", "second-factor": "neutral" };
const example = { uid: "ada", provider: "google", token: { email: "ada@example.com", email_verified: true } };

// Returns the form. `source` is the text of the rules file, or "" without one.
export function playground(source) {
  const result = h("div", { id: "evaluation" });
  const rules = area("rules", text("edited_rules"), source, 14);
  rules.hidden = true;
  const form = h("form", { class: "playground", submit: (event) => evaluate(event, result) },
    h("p", { class: "hint" }, text("playground_hint")),
    h("div", { class: "find" },
      field(text("method"), { name: "method", value: "GET", required: true, maxlength: 32, autocomplete: "off" }),
      field(text("path_and_query"), { name: "path", value: "/", required: true, maxlength: 8000, autocomplete: "off" }),
      field(text("host"), { name: "host", value: location.hostname, maxlength: 253, autocomplete: "off" }),
      field(text("time_optional"), {
        name: "time", maxlength: 40, autocomplete: "off", placeholder: "2026-01-31T09:00:00Z",
      })),
    area("headers", text("headers_lines"), "", 3),
    area("auth", text("auth_json"), JSON.stringify(example, null, 2), 8),
    field(text("rules_used"), {
      name: "source", change: (event) => { rules.hidden = event.target.value !== "edited"; },
    }, ["active", "edited"].map((name) => h("option", { value: name }, text(`source:${name}`)))),
    rules,
    h("p", {}, h("button", { class: "button primary" }, text("evaluate"))));
  return section(text("playground"), form, result);
}

function area(name, label, value, rows) {
  const id = `field-${name}`;
  return h("p", { class: "field" }, h("label", { for: id }, label),
    h("textarea", { id, name, rows, spellcheck: "false", autocapitalize: "none" }, value));
}

async function evaluate(event, result) {
  event.preventDefault();
  show(null);
  setBusy(true);
  try {
    const answer = await api("POST", "rules/evaluate", { body: question(event.target.elements) });
    result.replaceChildren(...evaluation(answer));
    result.querySelector("h3").focus();
  } catch (error) {
    result.replaceChildren();
    report(error);
  } finally { setBusy(false); }
}

function question(elements) {
  const value = (name) => elements[name].value.trim();
  let auth = null;
  try { auth = JSON.parse(value("auth") || "null"); } catch { throw new Failure(400, "console/json", text("bad_json")); }
  const headers = {};
  for (const line of value("headers").split("\n").filter((one) => one.trim())) {
    const colon = line.indexOf(":");
    if (colon < 1) throw new Failure(400, "console/header", text("bad_header"));
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  const body = { method: value("method"), path: value("path"), host: value("host"), headers, auth };
  if (value("time")) body.time = value("time");
  if (value("source") === "edited") body.rules = elements.rules.value;
  return body;
}

function evaluation(answer) {
  const isAllowed = answer.results.every(({ verdict }) => verdict === "allow");
  const denied = answer.results.find(({ verdict }) => verdict === "deny") ??
    answer.results.find(({ verdict }) => verdict !== "allow");
  const verdict = answer.results.length ? (isAllowed ? "allow" : denied.verdict) : null;
  return [
    h("h3", { tabindex: "-1" }, text("result"), " ",
      verdict ? badge(text(`verdict:${verdict}`), kinds[verdict]) : text("no_rules")),
    answer.applies ? null : h("p", { class: "hint" }, text("rules_not_applied")),
    facts([text("route"), answer.route === null ? text("none") : data(answer.route)],
      [text("path"), data(answer.path)]),
    ...answer.warnings.map((warning) => h("p", { class: "hint" }, badge(text("warning"), "neutral"), " ", warning)),
    ...answer.results.flatMap(ruleset),
  ].filter((part) => part !== null);
}

function ruleset(result) {
  return [
    h("h3", {}, data(result.file)),
    facts([text("decision"), badge(text(`verdict:${result.verdict}`), kinds[result.verdict])],
      [text("deciding_allow"), result.rule && data(result.rule)], [text("reason"), result.reason],
      [text("max_age"), result.max_age !== null ? seconds(result.max_age) : null]),
    ...result.allows.map((allow) => table(
      allow.rule, ["place", "expression", "value"].map((column) => text(column)),
      allow.expressions.map((one) => [`${one.line}:${one.column}`, data("\u00a0\u00a0".repeat(one.depth) + one.text),
        one.failed ? [badge(text("was_error"), "bad"), " ", one.outcome] : data(one.outcome)]))),
    result.omitted ? h("p", { class: "hint" }, text("expressions_omitted", { count: result.omitted })) : null,
  ].filter((part) => part !== null);
}
