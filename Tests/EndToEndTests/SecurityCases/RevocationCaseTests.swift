import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// A revocation applies to every token of the sign-in, cached or not, and to no other user.
@Suite(.sharedScenario) struct RevocationCaseTests: SharedScenarioSuite {
    private func token(_ uid: String, at time: Int64) throws -> String {
        try scenario.token(.named(uid)) { $0.signedIn(at: time) }
    }

    /// Opens connections to all workers. Each worker has the token in its cache.
    private func warm(_ token: String) throws -> [RawClient] {
        try (0..<8).map { _ in
            let client = try scenario.connect()
            #expect(try client.exchange(.bearer(token, "/me/warm")).status == 200)
            return client
        }
    }

    static let endings: [(call: String, code: String)] = [
        ("revoke", "auth/id-token-revoked"), ("disable", "auth/user-disabled"),
        ("sessions/TIME/revoke", "auth/id-token-revoked"),
    ]

    @Test(.tags(.h03), arguments: endings)
    func `a revoked token in every cache is denied at the next request`(row: (call: String, code: String))
        throws
    {
        let uid = "h03-\(row.call.prefix(6))"
        let time = unixNow() - 100
        let token = try token(uid, at: time)
        let clients = try warm(token)
        #expect(
            try scenario.admin("POST", "/v1/users/\(uid)/\(row.call.replacing("TIME", with: "\(time)"))").status == 200)
        for client in clients {
            for target in ["/me/h03", "/optional/h03", "/strict/h03", "/recent/h03"] {
                expectDenial(try client.exchange(.bearer(token, target)), 401, row.code)
            }
        }
    }

    /// Seconds between the sign-in and the revocation, and whether the sign-in stays valid.
    @Test(.tags(.h01), arguments: [(-1, false), (0, true), (1, true), (-1000, false), (-1_000_000_000, false)])
    func `only sign-ins before the revocation are revoked`(offset: Int64, passes: Bool) throws {
        let time = unixNow() - 50
        let uid = "h01\(offset)"
        try scenario.admin("POST", "/v1/users/\(uid)/revoke", body: "{\"at\": \(time)}")
        let response = try scenario.send(.bearer(token(uid, at: time + offset), "/me/h01"))
        #expect(response.status == (passes ? 200 : 401))
        let cookie = try scenario.cookie(.named(uid)) { $0.signedIn(at: time + offset) }
        #expect(try scenario.send(.cookie(cookie, "/me/h01")).status == (passes ? 200 : 401))
    }

    @Test(.tags(.h01)) func `a revocation time never decreases`() throws {
        let time = unixNow() - 50
        try scenario.admin("POST", "/v1/users/h01-back/revoke", body: "{\"at\": \(time)}")
        try scenario.admin("POST", "/v1/users/h01-back/revoke", body: "{\"at\": \(time - 1000)}")
        #expect(try scenario.send(.bearer(token("h01-back", at: time - 1), "/me/h01")).status == 401)
    }

    @Test(.tags(.h02)) func `disabled is reported before revoked, in either order of the calls`() throws {
        for calls in [["revoke", "disable"], ["disable", "revoke"]] {
            let uid = "h02-\(calls[0])"
            for call in calls { try scenario.admin("POST", "/v1/users/\(uid)/\(call)") }
            let token = try token(uid, at: unixNow() - 100)
            for target in ["/me/h02", "/recent/h02", "/second/h02", "/apple/h02"] {
                try scenario.expectRefusal(.bearer(token, target), 401, "auth/user-disabled")
            }
            try scenario.admin("POST", "/v1/users/\(uid)/enable")
            try scenario.expectRefusal(.bearer(token, "/me/h02"), 401, "auth/id-token-revoked")
        }
    }

    @Test(.tags(.h05)) func `a token refreshed from a revoked sign-in is denied`() throws {
        let time = unixNow() - 100
        try scenario.admin("POST", "/v1/users/h05/revoke")
        for issued in [time, unixNow() - 1, unixNow(), unixNow() + 3] {
            let refreshed = try scenario.token(.named("h05")) {
                $0.signedIn(at: time).issued(at: issued).expiring(at: issued + 3600)
            }
            try scenario.expectRefusal(.bearer(refreshed, "/me/h05"), 401, "auth/id-token-revoked")
            let cookie = try scenario.cookie(.named("h05")) { $0.signedIn(at: time).issued(at: issued) }
            try scenario.expectRefusal(.cookie(cookie, "/me/h05"), 401, "auth/session-cookie-revoked")
        }
        let next = unixNow()
        _ = try scenario.passes(.bearer(token("h05", at: next + 1), "/me/h05"))
    }

    @Test func `the revocation of a session leaves the other sessions of its user`() throws {
        let first = unixNow() - 200
        #expect(try scenario.admin("POST", "/v1/users/sessions/sessions/\(first)/revoke").status == 200)
        expectDenial(try scenario.send(.bearer(token("sessions", at: first), "/me/r")), 401, "auth/id-token-revoked")
        _ = try scenario.passes(.bearer(token("sessions", at: first + 100), "/me/r"))
    }

    @Test func `revoked is reported before an old sign-in`() throws {
        try scenario.admin("POST", "/v1/users/old-and-revoked/revoke")
        let token = try token("old-and-revoked", at: unixNow() - 4000)
        expectDenial(try scenario.send(.bearer(token, "/recent/r")), 401, "auth/id-token-revoked")
    }

    @Test func `the admin API returns the record`() throws {
        try scenario.admin("POST", "/v1/users/record/revoke", body: "{\"at\": 1700000000}")
        let record = JSON(parsing: try scenario.admin("GET", "/v1/users/record").body)
        #expect(record?["valid_since"] == 1_700_000_000 && record?["disabled"] == false)
    }

    /// The lookup is exact. No probabilistic filter can confuse two users.
    @Test(.tags(.h07)) func `many revocations affect no other user`() throws {
        let time = unixNow() - 100
        for number in 0..<200 { try scenario.admin("POST", "/v1/users/h07-\(number)/revoke") }
        let client = try scenario.connect()
        for number in 0..<400 {
            let status = try client.exchange(.bearer(token("h07-\(number)", at: time), "/strict/h07")).status
            #expect(status == (number < 200 ? 401 : 200), "\(number)")
        }
    }

    /// Names that an inexact comparison considers equal.
    @Test(
        .tags(.h07),
        arguments: [
            ("caf\u{e9}", "cafe\u{301}"), ("ada-h07", "Ada-H07"), ("h07x", "h07x "), ("h07", "h07%00"),
            ("a:b", "a%3Ab"), ("org/käthe:1", "org/käthe"),
        ])
    func `user names are compared by their bytes`(revoked: String, other: String) throws {
        let allowed = CharacterSetForPaths.encode(revoked)
        #expect(try scenario.admin("POST", "/v1/users/\(allowed)/revoke").status == 200)
        #expect(try scenario.send(.bearer(token(revoked, at: unixNow() - 100), "/me/h07")).status == 401)
        #expect(try scenario.send(.bearer(token(other, at: unixNow() - 100), "/me/h07")).status == 200)
    }
}

/// Encodes a path segment. Only letters and digits are not escaped.
private enum CharacterSetForPaths {
    static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
