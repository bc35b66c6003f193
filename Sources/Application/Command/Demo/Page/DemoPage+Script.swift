extension DemoPage {
    /// What the page does, in the order of its parts.
    static let script = wireScript + sessionScript + stepsScript + refusalsScript

    /// Requests, and how they are shown.
    private static let wireScript = #"""

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
        function showRequest(step, method, url, body) {
          const isGateway = url.startsWith("/");
          const status = make("span", "status", "…");
          const pair = make("div", body === undefined ? "" : "pair");
          if (body !== undefined) pair.append(figure("sent", pretty(body)));
          const path = make("code", "path", isGateway ? url : new URL(url).pathname);
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
            if (answer) pair.append(figure(body === undefined ? "came back (sent without a body)" : "came back", cameBack(url, answer)));
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

        // Sends a request, shows both ways, and returns the answer's JSON.
        async function send(step, method, url, body) {
          const show = showRequest(step, method, url, body);
          const options = { method, signal: AbortSignal.timeout(15000) };
          if (body !== undefined) {
            options.body = JSON.stringify(body);
            // As text to the provider, which is another origin: so the browser does not ask before it sends.
            if (url.startsWith("/")) options.headers = { "Content-Type": "application/json" };
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

        """#
}
