extension DemoPage {
    /// The seven steps.
    static let stepsScript = #"""

        // What a provider hands to the app: an ID token made for one nonce, or GitHub's access token, which has no room for any.
        async function proof(step, purpose, how) {
          const wanted = { user: how.person, provider: how.provider };
          if (how.provider === "github.com") {
            if (how.age) wanted.claims = { created_at: new Date(Date.now() - how.age * 1000).toISOString().slice(0, 19) + "Z" };
            const { token } = await send(step, "POST", demo.mint, wanted);
            return { provider: how.provider, access_token: token };
          }
          const { nonce, nonce_sha256 } = await send(step, "POST", "/.gatehouse/nonce", { purpose });
          wanted.nonce = nonce_sha256;
          if (how.age) wanted.auth_age = how.age;
          const { token } = await send(step, "POST", demo.mint, wanted);
          return { provider: how.provider, id_token: token, nonce };
        }

        const chosen = (step) => ({
          person: byId(`${step}-person`).value,
          provider: byId(`${step}-provider`).value,
          age: step === "sign-in" ? Number(byId("sign-in-age").value) : 0,
        });

        async function enter(step, body, how) {
          const answer = await send(step, "POST", "/.gatehouse/sign-in", body);
          session.how = { ...how, age: 0 };
          return `Signed in${answer.is_new_user ? ", and a new account was made" : ""}: uid ${answer.uid}`;
        }

        async function signIn(step) {
          const how = chosen("sign-in");
          const body = await proof(step, "sign-in", how);
          // Apple tells the name beside the token, and only the first time: the app hands it on.
          const person = demo.people.find(({ id }) => id === how.person);
          if (person && how.provider === "apple.com") body.user = { name: person.name };
          return enter(step, body, how);
        }

        async function callSensitive(step) {
          const answer = await send(step, "DELETE", "/v1/account");
          const identity = answer.fields.filter(([name]) => /^x-auth-/i.test(name)).map((field) => field.join(": "));
          return `Passed. The service behind the gateway received ${identity.join(", ")}`;
        }

        async function reauthenticate(step) {
          const how = session.how || { ...chosen("sign-in"), age: 0 };
          const answer = await send(step, "POST", "/.gatehouse/reauthenticate", await proof(step, "reauthenticate", how));
          return `Recorded for this session: signed in at ${new Date(answer.signed_in_at * 1000).toLocaleTimeString()}`;
        }

        async function redeem(step, body) {
          const answer = await send(step, "POST", "/.gatehouse/link", body);
          session.providers = answer.providers;
          return `Linked to this account: ${answer.providers.join(", ")}`;
        }

        async function link(step, consent) {
          const body = await proof(step, "link", chosen("link"));
          return redeem(step, consent ? { ...body, consent: true } : body);
        }

        async function unlink(step, provider) {
          const answer = await send(step, "POST", "/.gatehouse/unlink", { provider });
          session.providers = answer.providers;
          return `${provider} is unlinked; left: ${answer.providers.join(", ")}`;
        }

        async function signOut(step, everywhere) {
          await send(step, "POST", "/.gatehouse/sign-out", { everywhere });
          session.how = null;
          return everywhere ? "Every session of this person has ended." : "This session has ended.";
        }

        function showProviders() {
          byId("providers").textContent = session.providers.join(", ") || "nothing";
          const buttons = session.providers.map((provider) => {
            const button = make("button", "", `Unlink ${provider}`);
            button.type = "button";
            button.addEventListener("click", () => run("unlink", (step) => unlink(step, provider)));
            return button;
          });
          byId("unlink-buttons").replaceChildren(...buttons);
        }

        """#
}
