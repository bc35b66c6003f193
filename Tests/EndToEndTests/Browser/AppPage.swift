import DevelopmentIdentity

/// The page of an app on another origin than the gateway that it calls, and the browser that shows it.
struct AppPage {
    /// The result of a call, as the script of the page sees it.
    struct Answer: Decodable {
        /// The status. 0 if the browser hides the response from the script.
        let status: Int
        let challenge: String?
        let retryAfter: String?
        let marked: String?
        let body: String
    }

    /// The state of a WebSocket, as the script of the page sees it.
    struct Socket: Decodable {
        let opened: Bool
        let protocolName: String
        let messages: [String]
        /// The code of the close event, if there was one. 1006 means that the peer sent no close frame.
        let code: Int?
        /// The time of the close event, in milliseconds since 1970.
        let milliseconds: Double?
    }

    let browser: Browser
    let scenario: Scenario
    private var gateway: String { "127.0.0.1:\(scenario.gateway.port)" }

    /// Starts the servers and the browser, opens the page and runs `body`.
    ///
    /// - Parameters:
    ///   - isAllowed: Whether the routes allow the origin of the page.
    static func run(isAllowed: Bool = true, _ body: (AppPage) async throws -> Void) async throws {
        let server = try PageServer(page: page)
        let origin = isAllowed ? server.origin : "https://app.example.com"
        try await Scenario.run(arrange: { _, _, configuration in
            let cors = "cors: { origins: ['\(origin)'], expose: [X-Mark], max_age: 10s }"
            configuration.routes = [
                "path: /me/**, upstream: api, \(cors)",
                "path: /recent/**, recent_sign_in: 5m, upstream: api, \(cors)",
                "path: /room/**, upgrade: [websocket], token_protocol: true, upstream: api",
            ]
        }) { scenario in
            let page = AppPage(browser: try Browser(try await ChromeDriver()), scenario: scenario)
            try page.browser.open(server.origin + "/app")
            try await body(page)
        }
        withExtendedLifetime(server) {}
    }

    /// Calls the gateway with a header field that requires a preflight.
    func call(_ path: String, token: String, method: String = "GET") throws -> Answer {
        try browser.evaluate("return call(...arguments)", "http://\(gateway)\(path)", token, method)
    }

    /// Calls with `token`. If the response requires a recent sign-in and states a maximum age, calls with `fresh`.
    func sensitive(_ path: String, token: String, fresh: String) throws -> [String] {
        try browser.evaluate("return sensitive(...arguments)", "http://\(gateway)\(path)", token, fresh)
    }

    /// Opens a WebSocket with the token as a subprotocol, sends a message and waits for the echo.
    func openSocket(_ path: String, token: String) throws -> Socket {
        try browser.evaluate("return openSocket(...arguments)", "ws://\(gateway)\(path)", token)
    }

    /// Waits for the close event of the socket.
    func awaitClose() throws -> Socket { try browser.evaluate("return awaitClose()") }

    private static let page = """
        <!doctype html>
        <meta charset="utf-8">
        <title>An app</title>
        <link rel="icon" href="data:,">
        <p id="state">ready</p>
        <script>
        async function call(url, token, method) {
          try {
            const answer = await fetch(url, { method, headers: { Authorization: "Bearer " + token } });
            const field = (name) => answer.headers.get(name);
            return { status: answer.status, challenge: field("WWW-Authenticate"), retryAfter: field("Retry-After"),
                     marked: field("X-Mark"), body: await answer.text() };
          } catch (error) {
            return { status: 0, challenge: null, retryAfter: null, marked: null, body: String(error) };
          }
        }

        // RFC 9470: the challenge contains the maximum age of the sign-in.
        async function sensitive(url, token, fresh) {
          const steps = [];
          const first = await call(url, token, "DELETE");
          steps.push(String(first.status));
          const asked = /error="insufficient_user_authentication".*max_age="([0-9]+)"/.exec(first.challenge ?? "");
          if (!asked) return steps;
          document.getElementById("state").textContent = `Sign in again: within ${asked[1]} seconds`;
          steps.push(`max_age ${asked[1]}`);
          steps.push(String((await call(url, fresh, "DELETE")).status));
          return steps;
        }

        let socket, messages = [], close = null;
        function seen(opened) {
          return { opened, protocolName: socket.protocol, messages, code: close && close.code, milliseconds: close && close.after };
        }
        function openSocket(url, token) {
          return new Promise((resolve) => {
            socket = new WebSocket(url, ["bearer", token]);
            // The state at the timeout.
            setTimeout(() => resolve(seen(socket.readyState === WebSocket.OPEN)), 30000);
            socket.onopen = () => socket.send("hello");
            socket.onmessage = (event) => { messages.push(event.data); resolve(seen(true)); };
            socket.onclose = (event) => {
              close = { code: event.code, after: performance.timeOrigin + performance.now() };
              resolve(seen(false));
            };
          });
        }
        async function awaitClose() {
          for (let waited = 0; !close && waited < 10000; waited += 5) await new Promise((resolve) => setTimeout(resolve, 5));
          return seen(true);
        }
        </script>
        """
}
