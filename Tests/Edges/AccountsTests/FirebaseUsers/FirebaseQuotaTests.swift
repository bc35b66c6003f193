import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import Testing

@testable import Accounts
@testable import Authentication
@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// The number of lookups at Firebase, with a clock that the test advances.
@Suite(.timeLimit(.minutes(5))) struct FirebaseQuotaTests {
    private static let users = 100
    private static let requests = 10_000
    /// One of this many requests is a sign-in.
    private static let perSignIn = 20
    /// The period of all requests, in seconds.
    private static let period: Int64 = 600

    private static func user(_ number: Int) -> DevelopmentUser {
        DevelopmentUser(uid: "user-\(number)", email: "user-\(number)@example.com", hostedDomain: "example.com")
    }

    @Test func `10,000 requests and sign-ins need few lookups`() async throws {
        let directory = FirebaseDirectory()
        let rig = try await directory.rig()
        // Half of the users have a Firebase account.
        for number in 0..<(Self.users / 2) { directory.set(.google("user-\(number)", Self.user(number))) }
        let lookup = try #require(rig.parts.firebase)
        var (signIns, waits) = (0, 0)
        for request in 0..<Self.requests {
            if request % (Self.requests / Int(Self.period)) == 0 { rig.time.advance(seconds: 1) }
            let number = request / Self.perSignIn % Self.users
            if request % Self.perSignIn == 0 {
                signIns += 1
                let answer = await rig.call(.signIn, try await rig.proof(.google, Self.user(number)))
                #expect(number < Self.users / 2 ? answer.uid == "user-\(number)" : answer.uid?.utf8.count == 32)
            } else if number < Self.users / 2 {
                // The status that a route with a session of the user needs.
                lookup.lookUp(UserKey("user-\(number)"), notBefore: rig.parts.oldestFirebaseStatus) { _ in }
                waits += 1
            }
        }
        let calls = directory.calls
        let byName = calls.count { $0.contains("federatedUserId") }
        print(
            """
            Firebase users: \(calls.count) lookups for \(Self.requests) requests in \(Self.period) s, of them \
            \(signIns) sign-ins of \(Self.users) users: \(byName) by identity, \(calls.count - byName) by uid
            """)
        #expect(waits > 0 && calls.count <= 2 * signIns, "at most two for each sign-in, none for other requests")
        #expect(byName <= signIns / 2 + Self.users)
    }

    @Test func `lookups of one identity at the same time share a call, and those of several too`() throws {
        let rig = try AccountRig()
        let names = (0..<120).map { FirebaseName.identity(provider: "google.com", id: "\($0)") }
        let found = names.map { name in
            let statuses = AccountRig.Statuses()
            for _ in 0..<2 { rig.toolkit.find(name, notBefore: rig.time.monotonic) { statuses.add($0) } }
            return statuses
        }
        #expect(rig.transport.count == 1 + AccountBounds.concurrency)
        rig.answer(1, #"{"localId":"a","providerUserInfo":[{"providerId":"google.com","rawId":"0"}]}"#)
        #expect(found[0].all.count == 2 && found[0].all.allSatisfy { $0.state.uid == "a" })
        let body = rig.transport.calls[5].request.bodyText
        #expect(body.hasPrefix(#"{"federatedUserId":[{"providerId":"google.com","rawId":"4"},"#))
        #expect(body.split(separator: "rawId").count == 1 + AccountBounds.batch)
    }

    @Test func `sign-ins that wait leave room for requests`() throws {
        let rig = try AccountRig()
        let statuses = AccountRig.Statuses()
        for number in 0...AccountBounds.searches {
            rig.toolkit.find(.identity(provider: "google.com", id: "\(number)"), notBefore: 0) { statuses.add($0) }
        }
        #expect(statuses.states == [.unavailable], "one too many")
        #expect(rig.lookUp("alice").states == [])
        rig.answer(1)
        #expect(statuses.states == [.unavailable, .missing])
        rig.toolkit.find(.identity(provider: "google.com", id: "0"), notBefore: 0) { statuses.add($0) }
        #expect(statuses.states == [.unavailable, .missing, .missing], "cached, and there is a place again")
    }
}

extension AccountStatus.State {
    /// The uid of the account that was found by a name.
    fileprivate var uid: String? {
        if case .account(_, _, let account) = self { account.uid } else { nil }
    }
}
