import DevelopmentIdentity
import Foundation
import GRDB
import Testing

@testable import SystemFixtures

/// A store with invalid records or a damaged file. Only routes with `on_store_failure: allow` permit requests.
struct StoreFailureTests {
    private static let insertUser = "INSERT INTO user (uid, valid_since, disabled) VALUES"
    private static let insertSession = "INSERT INTO session (uid, session, revoked, signed_in_at, expires) VALUES"

    /// Adds routes that permit requests during a store failure.
    private static func open(_ configuration: inout GatewayConfiguration) {
        configuration.routes =
            [
                "path: /open/**, on_store_failure: allow, upstream: api",
                "path: /open-recent/**, on_store_failure: allow, recent_sign_in: 5m, upstream: api",
            ] + configuration.routes
    }

    /// Stops the gateway, changes its file, and starts it again.
    private func tamper(_ scenario: Scenario, _ sql: String) async throws {
        await scenario.gateway.kill()
        let queue = try DatabaseQueue(path: scenario.gateway.folder.path("gatehouse.db"))
        try await queue.write { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try db.execute(sql: sql)
        }
        try queue.close()
        try await scenario.gateway.start()
        try await scenario.gateway.ready()
    }

    /// Invalid rows of the user `bad`.
    static let rows = [
        "('bad', 'soon', 0)", "('bad', -1, 0)", "('bad', 1700000000000, 0)", "('bad', 1.5, 0)", "('bad', x'31', 0)",
        "('bad', NULL, 2)", "('bad', NULL, 'yes')", "('bad', NULL, -1)", "('bad', 9223372036854775807, 1)",
    ]

    @Test(.tags(.h04)) func `an invalid record is 503 for its user only`() async throws {
        try await Scenario.run(arrange: { Self.open(&$2) }) { scenario in
            let time = unixNow() - 100
            let names = Self.rows.indices.map { "bad-\($0)" }
            let users = zip(names, Self.rows).map {
                "\(Self.insertUser) \($1.replacing("'bad'", with: "'\($0)'"));"
            }
            try await tamper(
                scenario,
                users.joined() + "\(Self.insertSession) ('bad-session', '\(time)', 'x', NULL, NULL);"
                    + "\(Self.insertUser) ('revoked', \(unixNow()), 0);")
            for name in names + ["bad-session"] {
                let token = try scenario.token(.named(name)) { $0.signedIn(at: time) }
                for target in ["/me/h04", "/strict/h04", "/optional/h04", "/recent/h04"] {
                    try scenario.expectRefusal(.bearer(token, target), 503, "auth/store-unavailable", name)
                }
                #expect(try scenario.send(.bearer(token, "/unrevocable/h04")).status == 200)
            }
            let other = try scenario.token(.named("bystander")) { $0.signedIn(at: time) }
            #expect(try scenario.send(.bearer(other, "/strict/h04")).status == 200)
            let revoked = try scenario.token(.named("revoked")) { $0.signedIn(at: time) }
            try scenario.expectRefusal(.bearer(revoked, "/me/h04"), 401, "auth/id-token-revoked")
            #expect(try scenario.metric("gatehouse_store_read_failures_total") == Double(4 * (names.count + 1)))
            try await scenario.gateway.untilLogged("invalid record in the store")
        }
    }

    @Test(.tags(.h04)) func `a route that allows requests during a store failure logs and counts them`() async throws {
        try await Scenario.run(arrange: { Self.open(&$2) }) { scenario in
            let now = unixNow()
            try await tamper(
                scenario,
                "\(Self.insertUser) ('bad', 'soon', 0), ('revoked', \(now), 0), ('disabled', NULL, 1);"
                    + "\(Self.insertSession) ('bad-session', '\(now - 4000)', 0, 'x', NULL);")
            let token = try scenario.token(.named("bad")) { $0.signedIn(at: now - 100) }
            #expect(try scenario.passes(.bearer(token, "/open/h04"))["X-Auth-Uid"] == "bad")
            #expect(try scenario.passes(.bearer(token, "/open-recent/h04"))["X-Auth-Uid"] == "bad")
            #expect(try scenario.metric("gatehouse_store_failures_allowed_total") == 2)
            try await scenario.gateway.untilLogged("request permitted despite a store failure")
            // The route permits no revoked user, and no sign-in that needs a record of the store.
            for (uid, code) in [("revoked", "auth/id-token-revoked"), ("disabled", "auth/user-disabled")] {
                let token = try scenario.token(.named(uid)) { $0.signedIn(at: now - 100) }
                try scenario.expectRefusal(.bearer(token, "/open/h04"), 401, code)
            }
            let old = try scenario.token(.named("bad-session")) { $0.signedIn(at: now - 4000) }
            try scenario.expectRefusal(.bearer(old, "/open-recent/h04"), 503, "auth/store-unavailable")
            try scenario.expectRefusal(.bearer(token + "A", "/open/h04"), 401, "auth/invalid-id-token")
            try scenario.expectRefusal(.get("/open/h04"), 401, "auth/missing-credential", challenge: "Bearer")
        }
    }

    static let damages: [(what: String, bytes: @Sendable (inout [UInt8]) -> Void)] = [
        ("text", { $0 = Array("this was a database once".utf8) }),
        ("the header", { $0.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16)) }),
        ("half of it", { $0.removeLast($0.count / 2) }),
        ("every page but the first", { bytes in for index in 4096..<bytes.count { bytes[index] = 0xFF } }),
        ("another program's", { bytes in for index in 68..<72 { bytes[index] = 1 } }),
        ("a newer version", { $0[63] = 99 }),
    ]

    @Test(.tags(.h04), arguments: damages)
    func `a damaged store file admits no revoked user`(
        row: (what: String, bytes: @Sendable (inout [UInt8]) -> Void)
    ) async throws {
        try await Scenario.run(arrange: { Self.open(&$2) }) { scenario in
            let tokens = try (0..<3).map { number in
                try scenario.token(.named("revoked-\(number)")) { $0.signedIn(at: unixNow() - 100) }
            }
            try await tamper(
                scenario,
                (0..<400).map { "\(Self.insertUser) ('revoked-\($0)', \(unixNow()), 0);" }.joined())
            #expect(try scenario.send(.bearer(tokens[0], "/me/x")).status == 401)
            await scenario.gateway.kill()
            try damage(scenario.gateway.folder, row.bytes)
            do { try await scenario.gateway.start() } catch { return #expect("\(error)".contains("the gateway ended")) }
            // All requests are sent at once, because each waits for the timeout of the store.
            let clients = try tokens.map { token in try scenario.client(sending: WireRequest.bearer(token, "/me/x")) }
            for client in clients {
                let response = try client.response()
                #expect(response.status == 503 || response.status == 401, "\(row.what): \(response.text)")
            }
        }
    }

    private func damage(_ folder: ScratchFolder, _ change: (inout [UInt8]) -> Void) throws {
        // The checkpoint writes the write-ahead log to the file, so that the damaged pages are read.
        let queue = try DatabaseQueue(path: folder.path("gatehouse.db"))
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
        let url = folder.url.appending(path: "gatehouse.db")
        var bytes = [UInt8](try Data(contentsOf: url))
        change(&bytes)
        try Data(bytes).write(to: url)
    }
}
