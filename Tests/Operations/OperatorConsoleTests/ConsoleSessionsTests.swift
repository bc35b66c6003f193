import GatewayCore
import Revocation
import SecurityRules
import Testing

@testable import OperatorConsole

/// The sessions of the console and the limit of failed sign-ins, with given times.
@Suite struct ConsoleSessionsTests {
    private static let minute: UInt64 = 60_000_000_000
    private let sessions = ConsoleSessions()

    private func begin(_ role: OperatorRole = .operator, at now: UInt64 = 0) throws -> String {
        try #require(sessions.begin(role: role, name: "Ada", now: now)).id
    }

    @Test func `a session has its role, its name, and values that differ from its identifier`() throws {
        let (id, begun) = try #require(sessions.begin(role: .viewer, name: "Ada", now: 0))
        let found = try #require(sessions.session(id, isActivity: true, now: 1))
        #expect(found.role == .viewer && found.name == "Ada")
        #expect(found.csrfToken == begun.csrfToken && found.label == begun.label)
        let other = try #require(sessions.begin(role: .viewer, name: nil, now: 0))
        #expect(Set([id, other.id, begun.csrfToken, other.session.csrfToken]).count == 4)
        #expect(!id.contains(begun.label))
    }

    @Test(arguments: ["", "x", "../../etc", String(repeating: "a", count: 32), String(repeating: "a", count: 9_000)])
    func `an unknown identifier has no session`(id: String) throws {
        _ = try begin()
        #expect(sessions.session(id, isActivity: true, now: 0) == nil)
    }

    @Test func `activity prolongs a session, and background requests do not`() throws {
        let (active, idle) = (try begin(), try begin())
        for minute in stride(from: UInt64(20), through: 40, by: 20) {
            #expect(sessions.session(active, isActivity: true, now: minute * Self.minute) != nil)
            _ = sessions.session(idle, isActivity: false, now: minute * Self.minute)
        }
        #expect(sessions.session(active, isActivity: false, now: 60 * Self.minute) != nil)
        #expect(sessions.session(idle, isActivity: false, now: 30 * Self.minute) == nil)
    }

    @Test func `activity does not prolong a session beyond its absolute limit`() throws {
        let id = try begin()
        for minute in stride(from: UInt64(20), through: 480, by: 20) {
            #expect(sessions.session(id, isActivity: true, now: minute * Self.minute) != nil)
        }
        #expect(sessions.session(id, isActivity: true, now: 480 * Self.minute + 1) == nil)
        #expect(sessions.session(id, isActivity: true, now: 479 * Self.minute) == nil, "it does not come back")
    }

    @Test func `a session that was ended is gone, and others stay`() throws {
        let (one, other) = (try begin(), try begin())
        sessions.end(one)
        #expect(sessions.session(one, isActivity: true, now: 0) == nil)
        #expect(sessions.session(other, isActivity: true, now: 0) != nil)
    }

    @Test func `one session too many ends the one of its role without activity for the longest time`() throws {
        let ids = try (0..<ConsoleSessions.maximumPerRole).map { try begin(at: UInt64($0)) }
        for _ in 0...ConsoleSessions.maximumPerRole { _ = try begin(.viewer, at: 50) }
        #expect(sessions.session(ids[0], isActivity: true, now: 100) != nil)
        let last = try begin(at: 101)
        #expect(sessions.session(ids[1], isActivity: true, now: 102) == nil)
        for id in [ids[0], ids[2], last] { #expect(sessions.session(id, isActivity: true, now: 102) != nil) }
    }

    @Test func `one session too many ends one of the identity with the most`() throws {
        func begin(_ subject: String, at now: UInt64) throws -> String {
            let identity = OperatorIdentity(
                IdentityLink(provider: "google.com", subject: subject), address: "\(subject)@example.com", auth: .null,
                account: nil, signedInAt: 60)
            return try #require(sessions.begin(role: .viewer, name: nil, identity: identity, now: now)).id
        }
        let (ann, shared) = (try begin("ann", at: 0), try self.begin(.viewer, at: 1))
        let bobs = try (2..<100).map { try begin("bob", at: $0) }
        #expect(sessions.session(ann, isActivity: false, now: 100) != nil)
        #expect(sessions.session(shared, isActivity: false, now: 100) != nil)
        let known = bobs.filter { sessions.session($0, isActivity: false, now: 100) != nil }
        #expect(known == bobs.suffix(ConsoleSessions.maximumPerRole - 2))
    }

    @Test func `failed sign-ins of a network are limited, and those of others are not`() throws {
        let limits = SignInLimits()
        let (one, other) = (PeerNetwork.version4(1), PeerNetwork.version4(2))
        for _ in 0..<SignInLimits.perMinute {
            #expect(limits.wait(for: one, now: 5) == nil)
            limits.record(one, now: 5)
        }
        #expect(limits.wait(for: one, now: 5) == 6)
        #expect(limits.wait(for: other, now: 5) == nil)
        #expect(limits.wait(for: one, now: 5 + 6_000_000_000) == nil)
    }
}
