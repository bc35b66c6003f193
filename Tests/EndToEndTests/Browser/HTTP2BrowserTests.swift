import Testing

@testable import SystemFixtures

/// A real browser that selects HTTP/2 for requests and for a WebSocket (RFC 8441).
@Suite(
    .serialized,
    .enabled(
        if: ChromeDriver.program != nil,
        "GATEHOUSE_CHROMEDRIVER names no chromedriver: script/test sets it, and script/setup --browser installs one"
    ))
struct HTTP2BrowserTests {
    private struct Result: Decodable {
        let page: String
        let calls: [String]
        let message: String
    }

    private static let script = """
        return (async (url) => {
          const paths = [...Array(20).keys()].map((number) => "/item/" + number);
          await Promise.all(paths.map(async (path) => (await fetch(path)).text()));
          const hops = (type) => performance.getEntriesByType(type);
          const message = await new Promise((resolve) => {
            const socket = new WebSocket(url);
            socket.onopen = () => socket.send("hello");
            socket.onmessage = (event) => { resolve(event.data); socket.close(); };
            socket.onclose = (event) => resolve("closed with " + event.code);
          });
          return { page: hops("navigation")[0].nextHopProtocol, message,
                   calls: hops("resource").filter((e) => e.name.includes("/item/")).map((e) => e.nextHopProtocol) };
        })(...arguments)
        """

    @Test func `a browser uses HTTP/2 for a page, its calls and its WebSocket`() async throws {
        let authority = try TestAuthority()
        try await Scenario.run(arrange: {
            $2.listen(authority.certificate, authority.key)
            $2.routes = [
                "path: /room/**, auth: none, upgrade: [websocket], upstream: api",
                "path: /**, auth: none, upstream: api",
            ]
        }) { scenario in
            let browser = try Browser(try await ChromeDriver(), acceptsAnyCertificate: true)
            let address = "127.0.0.1:\(scenario.gateway.port)"
            try browser.open("https://\(address)/page")
            let result: Result = try browser.evaluate(Self.script, "wss://\(address)/room/ws")
            #expect(result.page == "h2" && result.message == "hello", "\(result)")
            #expect(result.calls == Array(repeating: "h2", count: 20))
            let line = try await eventually("the log line of the WebSocket") {
                scenario.gateway.output.split(separator: "\n").first { $0.contains("/room/ws") }.map(String.init)
            }
            #expect(line.contains("\"protocol\":\"h2\""), "\(line)")
        }
    }
}
