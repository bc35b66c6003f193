import AllocationCounter
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// The maximum number of allocations on the worker's thread for one request, in the build of the tests. A higher count
/// is a regression of the request path. Lower the limit when the count decreases. The counts do not depend on the
/// machine.
@Suite(.enabled(if: allocations_are_counted(), "this build does not count allocations"))
struct AllocationCountTests {
    private static let requests = 100

    /// The mean number of allocations per request on open connections.
    private func allocations(
        of credentials: [String], _ adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> Int {
        let rig = try RequestPathRig(adjust)
        try rig.installKeys()
        let (client, server) = try rig.warm()
        func exchange(_ credential: String) throws {
            try client.send("GET /private/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(credential)\r\n\r\n")
            try server.respond()
            #expect(try client.readMessage().status == 200)
        }
        for credential in credentials.prefix(20) { try exchange(credential) }
        let measured = credentials.dropFirst(20)
        let before = try rig.onLoop { _ in allocation_count() }
        for credential in measured { try exchange(credential) }
        return Int(try rig.onLoop { _ in allocation_count() } - before) / measured.count
    }

    private static func tokens(_ count: Int) -> [String] {
        (0..<count).map { TokenDraft.idToken().with("jti", "\"\($0)\"").signed() }
    }

    @Test func `a request with a cached token`() throws {
        let token = TokenDraft.idToken().signed()
        let count = try allocations(of: Array(repeating: token, count: Self.requests + 20))
        #expect(count <= 34)
    }

    @Test func `a request with a token that was not seen before`() throws {
        let count = try allocations(of: Self.tokens(Self.requests + 20))
        #expect(count <= 665)
    }

    @Test(arguments: [false, true]) func `a request that rules decide, also if their results are counted`(
        isCounted: Bool
    ) throws {
        let token = TokenDraft.idToken().signed()
        let count = try allocations(of: Array(repeating: token, count: Self.requests + 20)) { configuration in
            configuration.routes[1].allow = Configuration.RulesExpression(
                "auth.token.email_verified == true && auth.uid == 'user-1'", location: SourceLocation(origin: "test"))
            configuration.admin.console = isCounted
        }
        #expect(count <= 52)
    }
}
