import GatewayConfiguration
import Testing

@testable import CoreFixtures

@Suite struct StreamSectionTests {
    static let cases: [BrokenConfiguration] = [
        .route("path: /\nupgrade: websocket", "6:14 routes[].upgrade is not a list"),
        .route("path: /\nupgrade: []", "6:14 routes[].upgrade is an empty list"),
        .route("path: /\nupgrade: [web socket]", "6:15 not a protocol; write a token as in websocket"),
        .route("path: /\nupgrade: [websocket, WebSocket]", "6:26 has an entry twice"),
        .route("path: /\nupgrade: [h2c]", "6:15 would carry requests that nobody decides about"),
        .route("path: /\nupgrade:", "6:5 routes[].upgrade is empty"),
        .route("path: /\ntoken_query: 'a b'", "6:18 not a parameter's name"),
        .route("path: /\ntoken_protocol: yes", "6:21 not true or false"),
        .route("path: /\ntoken_protocol: true", "6:5 token_protocol is for WebSockets, and the route takes none"),
        .route("path: /\nauth: none\ntoken_query: t", "7:5 token_query can never apply on a route with auth: none"),
        .route("path: /\nmax_stream: 0s", "6:17 out of range; write 1ms to 30d"),
        .route("path: /\nstream_grace: 2h", "6:19 out of range; write 0s to 1h"),
        .route("path: /\nstream_idle_timeout: 2d", "6:26 out of range; write 1ms to 1d"),
        .section("limits: { max_stream: 31d }", "1:23 out of range; write 1ms to 30d"),
    ]

    @Test(arguments: cases) func isRefused(broken: BrokenConfiguration) {
        broken.check()
    }

    @Test func isRead() throws {
        let configuration = try ConfigurationTesting.load(
            """
            identity: { firebase: { project: demo } }
            limits: { max_stream: 2h, stream_grace: 10s, stream_idle_timeout: 20m }
            upstreams: { api: { servers: ["http://backend"] } }
            routes:
              - path: /
                upstream: api
                upgrade: [WebSocket, mqtt]
                token_query: access_token
                token_protocol: true
                max_stream: 8h
            """)
        let route = try #require(configuration.routes.first)
        #expect(route.upgrade == ["websocket", "mqtt"])
        #expect(route.tokenQuery == "access_token" && route.tokenProtocol)
        #expect(route.maxStream == .seconds(28_800) && route.streamGrace == nil)
        let limits = configuration.limits
        #expect(
            [limits.maxStream, limits.streamGrace, limits.streamIdleTimeout] == [
                .seconds(7200), .seconds(10), .seconds(1200),
            ])
    }
}
