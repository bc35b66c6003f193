// The page of the gateway's state: now, and in the last two hours.
"use strict";
import {
  api, badge, button, data, facts, h, milliseconds, number, poll, seconds, section, table, text, time,
} from "./dom.js";
import { chart } from "./charts.js";

const interval = 10_000;

export async function overview({ view, signal }) {
  const content = h("div", {});
  let isPaused = false;
  const pause = button(text("pause"), () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", isPaused);
  });
  pause.setAttribute("aria-pressed", "false");
  const read = (isBackground) => Promise.all([
    api("GET", "status", { signal, isBackground }), api("GET", "history", { signal, isBackground }),
  ]);
  const render = ([status, history]) =>
    content.replaceChildren(now(status), charts(history), ...tables(status, history));
  render(await read(false));
  view.replaceChildren(h("p", {}, pause), content);
  poll(signal, interval, async () => {
    // A part with the focus stays as it is, so that the keyboard keeps its place.
    if (isPaused || content.contains(document.activeElement)) return;
    render(await read(true));
  });
}

const state = (isGood, good, bad) => isGood ? badge(good, "good") : badge(bad, "bad");
const optional = (value, shown) => value === null || value === undefined ? text("unknown") : shown(value);

function now(status) {
  const { store } = status;
  const problems = status.checks.filter((check) => !check.ok || check.note);
  return section(text("now"),
    facts([text("readiness"), state(status.ready, text("ready"), text("not_ready"))],
      [text("version"), data(status.version)], [text("generation"), number(status.generation)],
      [text("started"), time(status.started_at)],
      [text("connections"), optional(status.connections, number)],
      [text("in_flight"), optional(status.requests_in_flight, number)],
      [text("streams"), optional(status.streams, number)],
      [text("store"), [data(store.kind), " ", state(store.writable && !store.trouble, text("works"), text("fails"))]],
      [text("store_age"), optional(store.age, seconds)],
      [text("records"), text("records_of", { users: number(store.users), sessions: number(store.sessions) })],
      [text("trouble"), store.trouble]),
    problems.length ? table(text("checks"), [text("check"), text("state"), text("reason")], problems.map((check) =>
      [data(check.name), state(check.ok, text("works"), text("fails")), check.why ?? check.note])) : null);
}

// MARK: History

const sum = (values) => values.reduce((total, value) => total + (value ?? 0), 0);
const rate = (value) => text("per_second", { value: number(value, 1) });
const perSecond = (values, step) => values.map((value) => value === null ? null : value / step);
const micros = (value) => value >= 1000 ? milliseconds(value / 1000) : text("us", { value: number(value) });
const percent = (value) => text("percent", { value: number(value, 1) });
const mebibytes = (value) => text("mib", { value: number(value / 1048576, 1) });

// The series with the largest sums, and the sum of the others.
function largest(named, count, length) {
  const sorted = Object.entries(named).sort(([, one], [, other]) => sum(other) - sum(one));
  const rest = sorted.slice(count);
  const series = sorted.slice(0, count).map(([name, values]) => ({ name, values }));
  if (!rest.length) return series;
  const values = Array.from({ length }, (_, index) => sum(rest.map(([, values]) => values[index])));
  return [...series, { name: text("others"), values }];
}

function charts(history) {
  const { times, interval: step, latency, store, token_cache: cache } = history;
  const rates = (series) => series.map(({ name, values }) => ({ name, values: perSecond(values, step) }));
  const ratio = times.map((_, index) => {
    const all = (cache.hits[index] ?? 0) + (cache.misses[index] ?? 0);
    return all ? 100 * cache.hits[index] / all : null;
  });
  const quantiles = (name) => ["p50", "p90", "p99"].map((key) => ({ name: key, values: latency[name]?.[key] ?? [] }));
  const phases = ["decision", "queue", "connect", "store_read"].filter((name) => latency[name])
    .map((name) => ({ name: text(`phase:${name}`), values: latency[name].p99 }));
  const healthy = Object.entries(history.upstreams).slice(0, 6)
    .map(([name, { healthy }]) => ({ name, values: healthy }));
  const load = ["connections", "in_flight", "streams"].map((name) => ({ name: text(name), values: history[name] }));
  return h("div", { class: "cards" }, [
    [text("chart:codes"), rates(largest(history.codes, 5, times.length)), rate],
    [text("chart:routes"), rates(largest(history.routes, 5, times.length)), rate],
    [text("chart:latency"), quantiles("request"), micros],
    [text("chart:phases"), phases, micros],
    [text("chart:cache"), [{ name: text("hits"), values: ratio }], percent],
    [text("chart:store"), [{ name: text("store_age"), values: store.age_ms }], milliseconds],
    [text("chart:load"), load, (value) => number(value)],
    [text("chart:upstreams"), healthy, (value) => number(value)],
    [text("chart:memory"), [{ name: text("memory"), values: history.memory_bytes }], mebibytes],
    [text("chart:cpu"), [{ name: text("cores"), values: perSecond(history.cpu_us, step * 1e6) }],
      (value) => number(value, 2)],
  ].map(([title, series, format]) => h("section", { "aria-label": title }, chart(title, times, series, format))));
}

// MARK: Tables

function tables(status, history) {
  const keySets = status.key_sets.map((set) => [data(set.url), time(set.fetched_at), time(set.refresh_at),
    set.keys.length ? set.keys.map((key) => [data(key), " "]) : text("none"),
    set.last_error ? badge(set.last_error, "bad") : badge(text("works"), "good")]);
  const servers = status.servers.map((server) => [data(server.upstream), data(server.server), number(server.addresses),
    server.health_checks ? number(server.healthy) : text("not_checked"), number(server.ejected),
    number(server.requests)]);
  const certificates = (status.certificates ?? []).map((one) =>
    [data(one.subject), one.listener ? data(one.listener) : text("unknown"), expiry(one.expires_at, history.now)]);
  const list = (title, columns, rows, empty) => section(title,
    rows.length ? table(title, columns.map((column) => text(column)), rows) : h("p", { class: "empty" }, empty));
  return [
    list(text("key_sets"), ["url", "fetched", "next_refresh", "keys", "state"], keySets, text("no_key_sets")),
    list(text("servers"), ["upstream", "server", "addresses", "healthy", "ejected", "in_flight"], servers,
      text("no_servers")),
    list(text("certificates"), ["subject_name", "listener", "expires"], certificates, text("no_certificates")),
  ];
}

// A certificate that expires within two weeks is marked.
function expiry(at, now) {
  const isSoon = at - now < 14 * 86400;
  return isSoon ? [time(at), " ", badge(text("soon"), "bad")] : time(at);
}
