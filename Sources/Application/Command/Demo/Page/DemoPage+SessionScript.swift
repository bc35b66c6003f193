extension DemoPage {
    /// Who is signed in, and how a step runs.
    static let sessionScript = #"""

        // How the session was signed in, and what is linked to its account, as far as this page saw it.
        const session = { uid: null, how: null, providers: [] };

        function age(seconds) {
          if (seconds < 90) return `${Math.max(seconds, 0)} seconds ago`;
          if (seconds < 3300) return `${Math.round(seconds / 60)} minutes ago`;
          return seconds < 5400 ? "an hour ago" : `${Math.round(seconds / 3600)} hours ago`;
        }

        function sentence(auth) {
          if (!auth) return "Nobody is signed in.";
          const time = auth.token.auth_time;
          const when = time ? `; the cookie's sign-in was ${age(Math.floor(Date.now() / 1000) - time)}` : "";
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
          const response = await fetch("/.gatehouse/auth", { cache: "no-store", signal: AbortSignal.timeout(15000) });
          const body = parsed(await response.text());
          const isGood = response.status === 200;
          byId("auth-status").textContent = response.status;
          byId("auth-status").className = isGood ? "status good" : "status bad";
          byId("auth").textContent = pretty(body === undefined ? null : body);
          byId("who").textContent = isGood ? sentence(body) : `The session does not count any more: ${body.code}`;
          noteAccount(isGood ? body : null);
          showProviders();
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

        """#
}
