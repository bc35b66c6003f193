extension DemoPage {
    /// What the page offers after a refusal, and the start.
    static let refusalsScript = #"""

        function go(step, work) {
          byId(step).scrollIntoView({ block: "start" });
          run(step, work);
        }

        const toSignIn = (step) => {
          offer(step, "Go to step 1", () => {
            byId("sign-in").scrollIntoView({ block: "start" });
            byId("do-sign-in").focus();
          });
        };

        const signInNow = (step) => {
          offer(step, "Sign in once more, just now", () => {
            byId("sign-in-age").value = "0";
            run(step, signIn);
          });
        };

        // By the code of the refusal: what the app offers the person next.
        const remedies = {
          "auth/missing-credential": toSignIn,
          "auth/session-cookie-revoked": toSignIn,
          "auth/session-cookie-expired": toSignIn,
          "auth/id-token-revoked": (step) => (step === "sign-in" ? signInNow(step) : toSignIn(step)),
          "auth/requires-recent-login": (step) => {
            if (step === "sign-in") return signInNow(step);
            offer(step, "Reauthenticate", () => go("reauthenticate", reauthenticate));
          },
          "auth/consent-required": (step) => {
            offer(step, "The person agrees: link", () => run(step, () => link(step, true)));
          },
          "auth/credential-already-in-use": (step, body, how) => {
            if (!body.pending_token) return;
            offer(step, "Sign in to the account that has it", () => {
              go("sign-in", () => enter("sign-in", { pending_token: body.pending_token }, how));
            });
          },
          "auth/account-exists-with-different-credential": (step, body, how) => {
            if (!body.pending_token) return;
            toSignIn(step);
            clear("link");
            tell("link", "", `A sign-in of ${how.provider} waits: sign in the way the account was made, just now, then link it here.`);
            offer("link", `Link the waiting ${how.provider}`, () => {
              run("link", () => redeem("link", { pending_token: body.pending_token }));
            });
          },
        };

        function explain(step, problem) {
          if (!(problem instanceof Refusal)) return tell(step, "bad", "No answer came. Does the demo still run?");
          const { status, challenge, body } = problem.answer;
          if (!body || !body.code) return tell(step, "bad", `Refused: ${status} ${body && body.error ? body.error : ""}`);
          const maxAge = /max_age="?(\d+)/.exec(challenge || "");
          const wish = maxAge ? ` WWW-Authenticate asks for a sign-in at most ${maxAge[1]} seconds old: max_age="${maxAge[1]}".` : "";
          tell(step, "bad", `Refused: ${status} ${body.code}. ${body.detail || body.title}${wish}`);
          const remedy = remedies[body.code];
          if (remedy) remedy(step, body, step === "link" || step === "sign-in" ? chosen(step) : null);
        }

        function fill(select, entries, selected) {
          byId(select).replaceChildren(...entries.map(({ id, label }) => {
            const option = make("option", "", label);
            option.value = id;
            option.selected = id === selected;
            return option;
          }));
        }

        fill("sign-in-person", demo.people);
        fill("link-person", demo.people);
        fill("sign-in-provider", demo.providers, "apple.com");
        fill("link-provider", demo.providers, "github.com");
        byId("sign-in-person").addEventListener("change", () => { byId("link-person").value = byId("sign-in-person").value; });
        byId("do-sign-in").addEventListener("click", () => run("sign-in", signIn));
        byId("do-sensitive").addEventListener("click", () => run("sensitive", callSensitive));
        byId("do-reauthenticate").addEventListener("click", () => run("reauthenticate", reauthenticate));
        byId("do-again").addEventListener("click", () => run("again", callSensitive));
        byId("do-link").addEventListener("click", () => run("link", (step) => link(step, false)));
        byId("do-sign-out").addEventListener("click", () => run("sign-out", (step) => signOut(step, false)));
        byId("do-sign-out-everywhere").addEventListener("click", () => run("sign-out", (step) => signOut(step, true)));
        // On a phone it would push the steps out of sight.
        byId("auth-details").open = matchMedia("(min-width: 62rem)").matches;
        showWho().catch(() => { byId("who").textContent = "The gateway does not answer."; }).finally(() => setBusy(false));

        """#
}
