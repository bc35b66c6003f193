// The page of the rules: the playground, and their text with the results of the expressions since they were loaded.
"use strict";
import { api, badge, data, facts, h, number, section, table, text, time, visible } from "./dom.js";
import { playground } from "./playground.js";

export async function rules({ view, signal, isOperator }) {
  const found = await api("GET", "rules", { signal });
  const parts = found.sources.map(coverage);
  if (!parts.length) parts.push(h("p", { class: "empty" }, text("no_rules")));
  if (found.omitted) parts.push(h("p", { class: "hint" }, text("rules_omitted", { count: number(found.omitted) })));
  const file = found.sources.find((source) => source.route === null);
  if (isOperator) parts.unshift(playground(file ? `${file.lines.join("\n")}\n` : ""));
  view.replaceChildren(...parts);
}

function coverage(source) {
  const { expressions } = source;
  const rows = source.lines.map((line, index) => {
    const ofLine = expressions.filter((one) => one.line <= index + 1 && index + 1 <= one.end_line);
    return [String(index + 1), marked([...line], index + 1, ofLine), grade(ofLine.map(gradeOf))];
  });
  const counts = expressions.map((one) => [
    `${one.line}:${one.column}`, data(shortened(source.lines, one)),
    ...(one.kind === "constant" ? [one.true, null, null] : [one.true, one.false, one.error])
      .map((count) => count === null ? text("none") : number(count)), grade([gradeOf(one)])]);
  const name = source.route === null ? source.file : `${source.file}, ${source.route}`;
  const columns = (names) => names.map((column) => text(column));
  return section(name,
    facts([text("counted_since"), source.since === null ? text("not_counted") : time(source.since)],
      [text("results_seen"), source.since === null ? null : text("seen_of", {
        seen: number(source.seen), all: number(source.outcomes),
      })]),
    table(text("rules_text", { name }), columns(["line", "rules_line", "coverage"]), rows, "wide"),
    counts.length
      ? table(text("rules_expressions", { name }),
        columns(["place", "expression", "was_true", "was_false", "was_error", "coverage"]), counts, "wide")
      : null,
    source.omitted ? h("p", { class: "hint" }, text("expressions_omitted", { count: number(source.omitted) })) : null);
}

// MARK: Coverage

const order = ["none", "part", "full"];
const kinds = { none: "bad", part: "neutral", full: "good" };

// How many of the possible results of an expression occurred. null if they are not counted.
function gradeOf(one) {
  if (one.true === null) return null;
  const seen = (one.true > 0) + (one.kind !== "constant" && one.false > 0);
  return order[one.kind === "constant" ? 2 * seen : seen];
}

// The lowest of grades, in words. The color repeats it.
function grade(grades) {
  const known = grades.filter((one) => one !== null);
  if (!known.length) return "";
  const lowest = order.find((one) => known.includes(one));
  return badge(text(`coverage:${lowest}`), kinds[lowest]);
}

// A line of text, in which each expression is an element. Columns are code points, from 1.
function marked(characters, line, expressions) {
  const indentation = Math.max(characters.findIndex((one) => one.trim()), 0);
  const root = h("code", {});
  const open = [{ element: root, end: characters.length }];
  let position = 0;
  const append = (end) => {
    if (end > position) open.at(-1).element.append(visible(characters.slice(position, end).join("")));
    position = Math.max(position, end);
  };
  const close = (until) => {
    while (open.length > 1 && open.at(-1).end <= until) {
      append(open.at(-1).end);
      open.pop();
    }
  };
  for (const one of expressions) {
    const start = one.line === line ? one.column - 1 : indentation;
    const end = one.end_line === line ? one.end_column - 1 : characters.length;
    if (start >= end) continue;
    close(start);
    append(start);
    const found = gradeOf(one);
    const element = h("span", { class: found && `seen-${found}` });
    open.at(-1).element.append(element);
    // Elements must nest.
    open.push({ element, end: Math.min(end, open.at(-1).end) });
  }
  close(characters.length);
  append(characters.length);
  return root;
}

function shortened(lines, one) {
  const parts = lines.slice(one.line - 1, one.end_line).map((line) => [...line]);
  if (!parts.length) return "";
  parts.push(parts.pop().slice(0, one.end_column - 1));
  parts.unshift(parts.shift().slice(one.column - 1));
  const words = [...parts.map((part) => part.join("")).join(" ").replace(/\s+/g, " ")];
  return words.length > 80 ? `${words.slice(0, 77).join("")}...` : words.join("");
}
