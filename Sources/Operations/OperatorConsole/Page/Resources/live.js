// The page of decisions as they are made.
"use strict";
import {
  badge, button, data, field, h, number, query, report, row, section, send, show, table, text, time,
} from "./dom.js";

// The newest decisions that are kept.
const maximum = 200;
// The size of an event that ends the stream, in UTF-16 units.
const largest = 1 << 20;
const filters = ["route", "code", "phase", "uid", "client"];

export async function live({ view, signal, isOperator }) {
  const rows = h("tbody", {});
  const state = h("p", { class: "hint" }, text("live_empty"));
  const steps = h("div", { id: "steps" });
  let running = null;

  function stop(message) {
    running?.abort();
    running = null;
    state.textContent = message;
    toggle.textContent = text("start");
  }

  async function start(values) {
    stop("");
    running = new AbortController();
    const { signal: stopped } = running;
    rows.replaceChildren();
    steps.replaceChildren();
    toggle.textContent = text("stop");
    let isBackground = false;
    while (!stopped.aborted) {
      const response = await send("GET", `api/v1/decisions?${query(values)}`, { signal: stopped, isBackground });
      isBackground = true;
      await events(response, (name, value) => handle(name, value, values));
      // The gateway ended the stream. A stream again needs the session to be valid.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }

  function handle(name, value) {
    if (name === "open") {
      state.textContent = text(value.masked ? "live_masked" : "live_unmasked", { rate: number(value.rate) });
    } else if (name === "skipped") {
      state.textContent = text("live_skipped", { count: number(value.sampled + value.dropped) });
    } else if (name === "decision") {
      rows.prepend(line(value, (decision) => steps.replaceChildren(details(decision))));
      while (rows.children.length > maximum) rows.lastElementChild.remove();
    }
  }

  const toggle = h("button", { class: "button primary" }, text("start"));
  const form = h("form", {
    class: "find", submit: async (event) => {
      event.preventDefault();
      if (running) return stop(text("live_stopped"));
      show(null);
      const values = [...new FormData(event.target)].filter(([, value]) => value.trim());
      try { await start(values); } catch (error) {
        if (error.name !== "AbortError") stop(text("live_stopped"));
        report(error);
      }
    },
  }, filters.map((name) => field(text(`filter:${name}`), { name, type: "text", autocomplete: "off", maxlength: 512 })),
  field(text("filter:rate"), { name: "rate", type: "number", min: 1, max: 200, value: 20, required: true }),
  isOperator ? h("p", { class: "field check" },
    h("input", { type: "checkbox", id: "field-unmask", name: "unmask", value: "true" }),
    h("label", { for: "field-unmask" }, text("unmask"))) : null,
  h("p", { class: "field" }, toggle));
  signal.addEventListener("abort", () => stop(""), { once: true });

  view.replaceChildren(form, state, steps, table(text("live_caption"), columns, rows));
}

const columns = ["at", "decision", "request", "uid", "client", "duration", "phases"].map((name) => text(name));
const orNone = (value) => value === null ? text("none") : data(value);

function line(decision, open) {
  return row(columns, [
    time(Math.floor(decision.at_ms / 1000)),
    badge(`${decision.status ?? ""} ${decision.code}`, decision.code === "ok" ? "good" : "bad"),
    [decision.method ?? "", " ", orNone(decision.path ?? decision.route)], orNone(decision.uid),
    orNone(decision.client), text("ms", { value: number(decision.duration_us / 1000, 2) }),
    button(text("show"), () => open(decision)),
  ]);
}

// The phases of a decision, as they were when it was made.
function details(decision) {
  const marks = { passed: "good", failed: "bad" };
  return section(text("phases_of", { id: decision.request_id }),
    decision.reason ? h("p", {}, data(decision.reason)) : null,
    decision.rule ? h("p", {}, text("rule"), " ", data(decision.rule)) : null,
    h("ol", { class: "steps" }, decision.steps.map((step) => h("li", {},
      badge(text(`mark:${step.mark}`), marks[step.mark] ?? "neutral"), " ", data(step.name), " ", step.detail))));
}

// MARK: Server-sent events

// Reads the events of a response until it ends.
async function events(response, handle) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let waiting = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (waiting + value).split("\n\n");
    waiting = parts.pop();
    if (waiting.length > largest) return reader.cancel();
    for (const part of parts) {
      const lines = part.split("\n");
      const content = (name) => lines.filter((line) => line.startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2)).join("\n");
      if (content("event")) handle(content("event"), JSON.parse(content("data") || "{}"));
    }
  }
}
