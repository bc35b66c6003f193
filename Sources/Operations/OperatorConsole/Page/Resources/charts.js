// Line charts of the history, as SVG. Colors and dashes are classes of the style sheet.
"use strict";
import { h, svg, text } from "./dom.js";

const [width, height] = [400, 120];
const clock = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" });
const clockTime = (seconds) => clock.format(new Date(seconds * 1000));

// Returns a chart. `series` is a list of { name, values }; a value of null is a gap. `format` shows a value.
export function chart(title, times, series, format) {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null));
  if (!known.length || times.length < 2) {
    return h("figure", { class: "chart" }, h("figcaption", {}, title), h("p", { class: "empty" }, text("no_samples")));
  }
  const top = Math.max(...known) || 1;
  const [first, last] = [times[0], times.at(-1)];
  const x = (index) => ((times[index] - first) / (last - first || 1)) * width;
  const y = (value) => height - (value / top) * (height - 4) - 2;
  const now = series.map(({ name, values }) => `${name} ${show(values.at(-1), format)}`).join(", ");
  return h("figure", { class: "chart" },
    h("figcaption", {}, title),
    svg("svg", {
      viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
      "aria-label": text("chart", { title, now, top: format(top) }),
    }, [0.5, 1].map((part) => svg("line", { class: "grid", x1: 0, x2: width, y1: y(top * part), y2: y(top * part) })),
    series.map(({ values }, index) => svg("path", { class: `line line-${index % 6 + 1}`, d: line(values, x, y) }))),
    h("p", { class: "axis" }, h("span", {}, clockTime(first)), h("span", {}, text("maximum", { value: format(top) })),
      h("span", {}, clockTime(last))),
    h("ul", { class: "legend" }, series.map(({ name, values }, index) => h("li", {},
      svg("svg", { class: "key", viewBox: "0 0 24 8", "aria-hidden": "true" },
        svg("line", { class: `line line-${index % 6 + 1}`, x1: 0, x2: 24, y1: 4, y2: 4 })),
      h("bdi", {}, name), " ", h("strong", {}, show(values.at(-1), format))))));
}

const show = (value, format) => value === null || value === undefined ? "–" : format(value);

// Returns the path of the values, with a new part after each gap.
function line(values, x, y) {
  let isPart = false;
  return values.map((value, index) => {
    if (value === null) {
      isPart = false;
      return "";
    }
    const command = isPart ? "L" : "M";
    isPart = true;
    return `${command}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
  }).join("");
}
