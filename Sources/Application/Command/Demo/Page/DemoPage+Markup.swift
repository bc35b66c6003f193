extension DemoPage {
    /// The whole page.
    static func markup(settings: String) -> String {
        #"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>Gatehouse: accounts, step by step</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <style>\#(style)</style>
        </head>
        <body>
        \#(header)
        \#(steps)
        <script type="application/json" id="demo">\#(settings)</script>
        <script>\#(script)</script>
        </body>
        </html>

        """#
    }

    private static let header = #"""
        <header>
        <p class="brand">Gatehouse demo</p>
        <h1>Sign in, prove it again, link, sign out</h1>
        <p class="lead">This page is the app. Go from top to bottom: each button sends the requests that you then see.
        The demo's identity provider plays Apple, Google and GitHub; the session is a cookie that scripts cannot read.</p>
        <noscript><p class="outcome bad">The page needs JavaScript: it is the app that makes the requests.</p></noscript>
        </header>
        <aside aria-labelledby="who-title">
        <h2 id="who-title">Who am I?</h2>
        <p id="who" role="status">Asking …</p>
        <details id="auth-details" open>
        <summary><code class="method">GET</code> <code class="path">/.gatehouse/auth</code> <span id="auth-status" class="status"></span></summary>
        <pre id="auth" tabindex="0" aria-label="The auth variable"></pre>
        </details>
        <p class="note">The <code>auth</code> variable: what security rules and the services behind the gateway see.</p>
        </aside>
        """#

    private static let steps = #"""
        <main id="steps" aria-busy="true">
        <section id="sign-in" aria-labelledby="sign-in-title">
        <h2 id="sign-in-title"><span class="number">1</span> Sign in</h2>
        <p>Take a nonce, give its SHA-256 to the provider's sign-in, send back the ID token with the nonce itself.
        The answer sets the session cookie. Choose “an hour ago” to be refused in step 2.</p>
        <div class="controls">
        <label>Person <select id="sign-in-person"></select></label>
        <label>Provider <select id="sign-in-provider"></select></label>
        <label>Signed in there <select id="sign-in-age">
        <option value="3600" selected>an hour ago</option><option value="0">just now</option>
        </select></label>
        <button type="button" id="do-sign-in" class="primary">Sign in</button>
        </div>
        <p class="outcome" role="status"></p><div class="next"></div><ol class="wire"></ol>
        </section>
        <section id="sensitive" aria-labelledby="sensitive-title">
        <h2 id="sensitive-title"><span class="number">2</span> Do something sensitive</h2>
        <p>The route <code>DELETE /v1/account</code> has <code>recent_sign_in: { max_age: 5m, proof: authenticated }</code>: a good session
        is not enough, the person must have authenticated at the provider within five minutes. (An echo service is behind it: nothing is
        deleted.)</p>
        <div class="controls"><button type="button" id="do-sensitive" class="primary">Call it</button></div>
        <p class="outcome" role="status"></p><div class="next"></div><ol class="wire"></ol>
        </section>
        <section id="reauthenticate" aria-labelledby="reauthenticate-title">
        <h2 id="reauthenticate-title"><span class="number">3</span> Reauthenticate</h2>
        <p>The same person proves it once more, with a fresh nonce. The session stays; the gateway records when.</p>
        <div class="controls"><button type="button" id="do-reauthenticate" class="primary">Reauthenticate</button></div>
        <p class="outcome" role="status"></p><div class="next"></div><ol class="wire"></ol>
        </section>
        <section id="again" aria-labelledby="again-title">
        <h2 id="again-title"><span class="number">4</span> Do it again</h2>
        <p>The same request with the same cookie. What comes back is what the service received: the identity in headers.</p>
        <div class="controls"><button type="button" id="do-again" class="primary">Call it again</button></div>
        <p class="outcome" role="status"></p><div class="next"></div><ol class="wire"></ol>
        </section>
        <section id="link" aria-labelledby="link-title">
        <h2 id="link-title"><span class="number">5</span> Link a second provider</h2>
        <p>Another way into the same account. GitHub has no ID token: the gateway asks GitHub whose access token it is.</p>
        <div class="controls">
        <label>Person <select id="link-person"></select></label>
        <label>Provider <select id="link-provider"></select></label>
        <button type="button" id="do-link" class="primary">Link</button>
        </div>
        <p class="outcome" role="status"></p><div class="next"></div><ol class="wire"></ol>
        </section>
        <section id="unlink" aria-labelledby="unlink-title">
        <h2 id="unlink-title"><span class="number">6</span> Unlink</h2>
        <p>Linked now: <span id="providers">nothing</span>. The last one cannot go.</p>
        <div class="controls" id="unlink-buttons"></div>
        <p class="outcome" role="status"></p><div class="next"></div><ol class="wire"></ol>
        </section>
        <section id="sign-out" aria-labelledby="sign-out-title">
        <h2 id="sign-out-title"><span class="number">7</span> Sign out</h2>
        <p>This session, or every session of the person. The gateway refuses their cookies from then on, even copied ones.</p>
        <div class="controls">
        <button type="button" id="do-sign-out" class="primary">Sign out</button>
        <button type="button" id="do-sign-out-everywhere">Sign out everywhere</button>
        </div>
        <p class="outcome" role="status"></p><div class="next"></div><ol class="wire"></ol>
        </section>
        </main>
        """#
}
