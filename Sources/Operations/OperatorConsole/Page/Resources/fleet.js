// The page of all gateways with the same store.
"use strict";
import { api, badge, data, h, milliseconds, number, poll, section, table, text, time } from "./dom.js";

export async function fleet({ view, signal }) {
  const content = h("div", {});
  const read = async (isBackground) => render(await api("GET", "fleet", { signal, isBackground }));
  const render = (found) => content.replaceChildren(...warnings(found), gateways(found));
  await read(false);
  view.replaceChildren(content);
  poll(signal, 10_000, async () => { if (!content.contains(document.activeElement)) await read(true); });
}

function warnings(found) {
  const all = found.warnings.map(({ kind, detail }) => [badge(text(`fleet:${kind}`), "bad"), " ", detail]);
  if (found.trouble) all.push([badge(text("trouble"), "bad"), " ", found.trouble]);
  if (all.length) return [section(text("warnings"), all.map((line) => h("p", {}, line)))];
  return found.shared ? [] : [h("p", { class: "empty" }, text("fleet_single"))];
}

const known = (value, shown) => value === null ? text("unknown") : shown(value);

function gateways({ gateways }) {
  const columns = [
    "name", "version", "configuration_hash", "state", "started", "seen", "view_age", "requests", "cpu", "connections",
    "memory",
  ];
  const rows = gateways.map((one) => [
    [data(one.name), one.self ? [" ", badge(text("this"), "neutral")] : null], data(one.version),
    [data(one.configuration.slice(0, 8)), " ", text("generation_of", { value: number(one.generation) })],
    one.ready ? badge(text("ready"), "good") : badge(text("not_ready"), "bad"), time(one.started_at), time(one.seen_at),
    known(one.view_age_ms, milliseconds),
    known(one.requests_per_second, (value) => text("per_second", { value: number(value, 1) })),
    known(one.cpu_percent, (value) => text("percent", { value: number(value) })), number(one.connections),
    known(one.memory_bytes, (value) => text("mib", { value: number(value / 1048576) })),
  ]);
  return section(text("gateways"), table(text("gateways"), columns.map((column) => text(column)), rows));
}
