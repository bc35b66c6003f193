// The page of the configuration: routes with their policies, warnings, key sets, and the reload.
"use strict";
import {
  api, badge, button, confirm, data, facts, h, number, report, section, setBusy, show, table, text, time,
} from "./dom.js";

export async function configuration(page) {
  const { view, signal, isOperator } = page;
  const [current, all, keys, reloaded] = await Promise.all(
    ["configuration", "routes", "keys", "reload/diff"].map((name) => api("GET", name, { signal })));

  async function change(name, address) {
    if (!await confirm(text(name), text(`ask:${name}`), text(name))) return;
    setBusy(true);
    try {
      await api("POST", address);
      await configuration(page);
      show("status", text(`done:${name}`));
    } catch (error) { report(error); } finally { setBusy(false); }
  }

  view.replaceChildren(
    state(current, isOperator ? button(text("reload"), () => change("reload", "reload")) : null),
    ...(reloaded.last ? [differences(reloaded.last)] : []), warnings(current), routes(all.routes),
    keySets(
      keys.key_sets, isOperator ? button(text("refresh_keys"), () => change("refresh_keys", "keys/refresh")) : null));
}

const buttons = (...all) => all.some(Boolean) ? h("div", { class: "buttons" }, all) : null;

function state(current, reload) {
  const { reloads } = current;
  const last = reloads?.last;
  return section(text("configuration"),
    facts([text("generation"), number(current.generation)], [text("loaded"), time(current.loaded_at)],
      [text("hash"), data(current.hash.slice(0, 16))],
      [text("reloads"), reloads && text("reloads_of", {
        accepted: number(reloads.accepted), refused: number(reloads.refused),
      })],
      [text("last_reload"), last && [time(last.at), " ",
        last.ok ? badge(text("accepted"), "good") : badge(text("refused"), "bad")]]),
    last && last.error
      ? h("pre", { class: "scroll", tabindex: "0", role: "region", "aria-label": text("reason") }, last.error) : null,
    buttons(reload));
}

// What the last reload changed, for a sample of recorded requests.
function differences(last) {
  const outcome = ({ route, code }) =>
    [route === null ? text("none") : data(route), " ", badge(code, code === "ok" ? "good" : "bad")];
  const rows = last.changes.map((change) =>
    [change.method, outcome(change.before), outcome(change.after), number(change.count)]);
  return section(text("reload_changes"),
    h("p", { class: "hint" }, time(last.at), " · ", text("reload_compared", {
      compared: number(last.compared), undecided: number(last.undecided),
    })),
    rows.length
      ? table(text("reload_changes"), ["method", "before", "after", "count"].map((column) => text(column)), rows)
      : h("p", { class: "empty" }, text("reload_no_changes")),
    last.omitted ? h("p", { class: "hint" }, text("reload_omitted", { count: number(last.omitted) })) : null);
}

function warnings(current) {
  const rows = current.warnings.map(({ at, warning, remedy }) => [data(at), warning, remedy]);
  return section(text("warnings"),
    rows.length ? table(text("warnings"), [text("place"), text("warning"), text("remedy")], rows)
      : h("p", { class: "empty" }, text("no_warnings")),
    current.insecure_options.length ? h("p", {}, badge(text("insecure"), "bad"), " ",
      current.insecure_options.map((option) => [data(option), " "])) : null);
}

function routes(all) {
  const rows = all.map((route) => [data(route.path),
    route.hosts.length ? route.hosts.map((host) => [data(host), " "]) : text("any"),
    route.methods.length ? route.methods.join(", ") : text("any"),
    h("ul", { class: "policy" }, route.policy.map((part) => h("li", {}, part))),
    route.upstream ? data(route.upstream) : text("none"), data(route.defined_at)]);
  return section(text("routes"), table(text("routes"),
    ["path", "hosts", "methods", "policy", "upstream", "place"].map((column) => text(column)), rows));
}

function keySets(sets, refresh) {
  const rows = sets.map((set) => [data(set.url),
    set.thumbprints.length ? set.thumbprints.map(({ kid, thumbprint }) =>
      h("div", {}, kid === null ? text("none") : data(kid), " ", h("small", {}, data(thumbprint)))) : text("none"),
    set.skipped.length ? set.skipped.map((one) => h("div", {}, one)) : text("none"), time(set.fetched_at),
    set.last_error ? badge(set.last_error, "bad") : badge(text("works"), "good")]);
  return section(text("key_sets"),
    rows.length
      ? table(text("key_sets"), ["url", "keys_thumbprints", "skipped", "fetched", "state"].map((column) => text(column)), rows)
      : h("p", { class: "empty" }, text("no_key_sets")),
    rows.length ? buttons(refresh) : null);
}
