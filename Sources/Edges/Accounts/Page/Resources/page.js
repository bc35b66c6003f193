"use strict";
// The calls of a signed-in user. All texts come from the page, in its language, and are inserted as text. Signing in
// needs no script.
(() => {
  const home = "/.gatehouse/";
  const main = document.querySelector("main");
  const element = (id) => document.getElementById(id);
  const texts = JSON.parse(element("texts").textContent);
  const account = element("account");
  const dialog = element("confirm");
  const buttons = [...document.querySelectorAll("[data-call]")];

  // What the page remembers while the user is at a provider. Another site cannot set it.
  const remember = (name, value) => sessionStorage.setItem("gatehouse-" + name, value);
  const recall = (name) => {
    const value = sessionStorage.getItem("gatehouse-" + name);
    sessionStorage.removeItem("gatehouse-" + name);
    return value;
  };
  const find = (call, provider, session) => buttons.find(({ dataset }) => dataset.call === call
    && dataset.provider === (provider ?? undefined) && dataset.session === (session ?? undefined));

  function show(id, text) {
    element("error").textContent = "";
    element("status").textContent = "";
    element(id).textContent = text;
  }

  function setBusy(isBusy) {
    main.setAttribute("aria-busy", isBusy);
    for (const button of buttons) button.disabled = isBusy;
    if (isBusy) show("status", texts.working);
  }

  async function call(path, body) {
    const response = await fetch(home + path, {
      method: "POST", credentials: "same-origin", redirect: "error", cache: "no-store",
      headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const result = response.status === 204 ? {} : await response.json();
    if (!response.ok) throw Object.assign(new Error(), { code: result.code, status: response.status });
    return result;
  }

  // Continues at a provider, which leads back to an address.
  async function leave(path, body, target) {
    const { authorization_url: url } = await call(path, { ...body, return_to: target });
    location.assign(url);
  }

  // Continues at a provider, which leads back to this page with a mark, so that the page recognizes the return.
  async function leaveAndReturn(path, body) {
    const mark = crypto.randomUUID();
    remember("mark", mark);
    await leave(path, body, home + "?back=" + mark);
  }

  // Loads the page anew, which then shows a text.
  function finish(text) {
    remember("done", text);
    location.replace(home);
  }

  const calls = {
    link: async (provider, consent) => {
      remember("linking", provider);
      await leaveAndReturn("link/" + provider, consent ? { consent } : {});
    },
    // The page itself leads to the target after the sign-in.
    confirm: (provider) => leave("reauthenticate/" + provider, {}, address.pathname + address.search),
    unlink: async (provider) => { await call("unlink", { provider }); finish("unlinked"); },
    "sign-out": async () => { await call("sign-out", {}); finish("signed_out"); },
    everywhere: async () => { await call("sign-out", { everywhere: true }); finish("signed_out"); },
    end: async (_, __, session) => { await call("account/sessions/" + session + "/revoke", {}); finish("session_ended"); },
    delete: async () => { await call("account/delete", {}); finish("deleted"); },
  };

  async function run(button, consent) {
    const { call: name, provider, session } = button.dataset;
    setBusy(true);
    try {
      try {
        await calls[name](provider, consent, session);
      } catch (error) {
        const method = account.dataset.reauthenticate;
        if (error.code !== "auth/requires-recent-login" || !method) throw error;
        remember("then", JSON.stringify([name, provider, session]));
        await leaveAndReturn("reauthenticate/" + method, {});
      }
    } catch (error) {
      setBusy(false);
      // The session has ended.
      if (error.status === 401 && error.code !== "auth/requires-recent-login") return location.replace(home);
      show("error", texts[error.code] || texts.failed);
      button.focus();
    }
  }

  function ask(button, text, consent) {
    const yes = element("confirm-yes");
    element("confirm-title").textContent = button.textContent;
    element("confirm-text").textContent = text;
    yes.textContent = button.textContent;
    yes.onclick = () => { dialog.close(); run(button, consent); };
    dialog.showModal();
  }

  // Continues after the return from a provider. Nothing changes without another choice of the user.
  function resume(error, isReturn) {
    const linking = recall("linking");
    const then = JSON.parse(recall("then"));
    if (!isReturn) return;
    const button = then && !error ? find(...then) : null;
    if (linking && error === "auth/consent-required" && find("link", linking)) {
      ask(find("link", linking), texts.confirm_consent, true);
    } else if (linking && !error && find("unlink", linking)) {
      show("status", texts.linked);
    } else if (button) {
      show("status", texts.signed_in_again);
      button.focus();
      if (button.dataset.confirm) ask(button, button.dataset.confirm);
    }
  }

  const address = new URL(location);
  // The gateway names only an error of a flow of this browser.
  const error = element("error").dataset.code;
  const back = address.searchParams.get("back");
  const [done, mark] = [recall("done"), recall("mark")];
  for (const name of ["error", "error_mark", "result", "back"]) address.searchParams.delete(name);
  if (address.href !== location.href) history.replaceState(null, "", address);
  if (done && !error) show("status", texts[done]);
  // A page from the browser's cache may show a session that has ended.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  if (!account) return;
  for (const time of document.querySelectorAll("time")) {
    const options = { dateStyle: "medium", timeStyle: "short" };
    time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, options);
  }
  element("confirm-no").onclick = () => dialog.close();
  for (const button of buttons) {
    button.hidden = false;
    button.onclick = () => button.dataset.confirm ? ask(button, button.dataset.confirm) : run(button);
  }
  resume(error, mark !== null && mark === back);
})();
