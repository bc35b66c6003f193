import AdminAPI
import GatewayConfiguration
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

struct RecentDenialsTests {
    private func denial(_ time: Int64, _ code: DecisionCode = .permissionDenied) -> UserActivity.Denial {
        UserActivity.Denial(time: time, code: code, phase: .rules, route: "/a")
    }

    private func user(_ name: String) -> UserKey { UserKey(uid: name, tenant: nil) }

    @Test func `equal denials in succession are one entry with a count`() {
        var denials = RecentDenials()
        for time in 1...3 as ClosedRange<Int64> { denials.record(denial(time), of: user("a")) }
        denials.record(denial(4, .rateLimited), of: user("a"))
        denials.record(denial(5), of: user("a"))
        #expect(denials.denials(of: user("a")).map(\.time) == [3, 4, 5])
        #expect(denials.denials(of: user("a")).map(\.count) == [3, 1, 1])
        #expect(denials.denials(of: user("b")).isEmpty)
    }

    @Test func `a user with many denials evicts only their own`() {
        var denials = RecentDenials()
        denials.record(denial(1), of: user("a"))
        for time in 0..<1000 as Range<Int64> {
            denials.record(denial(time, time.isMultiple(of: 2) ? .rateLimited : .permissionDenied), of: user("b"))
        }
        #expect(denials.denials(of: user("a")).count == 1)
        #expect(denials.denials(of: user("b")).map(\.time) == Array(984..<1000))
    }

    @Test func `the number of users is bounded`() {
        var denials = RecentDenials()
        for number in 0...RecentDenials.userLimit { denials.record(denial(1), of: user("\(number)")) }
        #expect(denials.denials(of: user("0")).isEmpty)
        #expect(denials.denials(of: user("\(RecentDenials.userLimit)")).count == 1)
    }

    @Test func `a worker remembers the denial of a user, but none without a valid credential`() throws {
        let rig = try RequestPathRig { configuration in
            configuration.routes[1].recentSignIn = .seconds(10)
        }
        try rig.installKeys()
        let token = TokenDraft.idToken().signed()
        try rig.send("GET /private/7 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n").expectProblem(
            401, "auth/requires-recent-login")
        try rig.send("GET /private/7 HTTP/1.1\r\nHost: a\r\n\r\n").expectProblem(401, "auth/missing-credential")
        let denials = try rig.onLoop { $0.denials.denials(of: UserKey(uid: "user-1", tenant: nil)) }
        #expect(denials.map(\.code) == [.requiresRecentLogin])
        #expect(denials.map(\.phase) == [.recency] && denials.map(\.route) == ["/private/**"])
    }
}
