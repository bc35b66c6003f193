import GatewayCore
import OutboundHTTP
import Revocation
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Lookups of the accounts of several tenants and projects.
@Suite struct ProjectAccountsTests {
    private static func alice(_ tenant: String?, project: String? = "my-app") -> UserKey {
        UserKey(uid: "alice", tenant: tenant, project: project)
    }

    @Test func `each account is looked up in its tenant`() throws {
        let rig = try AccountRig()
        for (place, tenant) in ["acme-x1", nil, "globex-y2"].enumerated() {
            let lookup = rig.lookUp(user: Self.alice(tenant, project: place == 0 ? nil : "my-app"))
            let path = tenant.map { "my-app/tenants/\($0)" } ?? "my-app"
            #expect(rig.transport.calls[place + 1].request.url.hasSuffix("/projects/\(path)/accounts:lookup"))
            #expect(try rig.uids(place + 1) == ["alice"])
            rig.answer(place + 1, #"{"localId":"alice","validSince":"\#(place)"}"#)
            let time = UnixTime(clamping: Int64(place))
            #expect(lookup.states == [.account(validSince: time, disabled: false)])
        }
        #expect(rig.lookUp(user: Self.alice(nil), notOlderThan: 60).states.count == 1, "cached")
        #expect(rig.transport.count == 4)
    }

    @Test func `a call has accounts of one tenant only`() throws {
        let rig = try AccountRig.busy()
        let users = (0..<6).map { UserKey(uid: "u\($0)", tenant: ["a", "b", nil][$0 % 3]) }
        let lookups = users.map { rig.lookUp(user: $0) }
        var seen: [String: [String]] = [:]
        for place in 1...3 { rig.answer(place) }
        for place in 5...7 { seen[rig.transport.calls[place].request.url] = try rig.uids(place).sorted() }
        let url = "https://identitytoolkit.googleapis.com/v1/projects/my-app"
        #expect(
            seen == [
                "\(url)/tenants/a/accounts:lookup": ["u0", "u3"], "\(url)/tenants/b/accounts:lookup": ["u1", "u4"],
                "\(url)/accounts:lookup": ["u2", "u5"],
            ])
        for place in 5...7 { rig.answer(place, #"{"localId":"u0"}"#, #"{"localId":"u4","disabled":true}"#) }
        #expect(
            lookups.map(\.states) == [
                [.good], [.missing], [.missing], [.missing], [.account(validSince: nil, disabled: true)], [.missing],
            ])
    }

    private func lookUp(_ accounts: ProjectAccounts, _ user: UserKey, at time: UInt64) -> AccountRig.Statuses {
        let statuses = AccountRig.Statuses()
        accounts.lookUp(user, notBefore: time) { statuses.add($0) }
        return statuses
    }

    @Test func `a failing credential of one project does not affect the other`() throws {
        let (mine, other) = (try AccountRig(token: false), try AccountRig())
        let accounts = ProjectAccounts(["my-app": mine.toolkit, "other-app": other.toolkit], first: "my-app")
        let time = mine.time.monotonic
        let failing = lookUp(accounts, Self.alice(nil, project: nil), at: time)
        mine.transport.answer(0, 400, #"{"error":"invalid_grant"}"#)
        #expect(failing.states == [.unavailable])
        let passing = lookUp(accounts, Self.alice(nil, project: "other-app"), at: time)
        other.answer(1, #"{"localId":"alice"}"#)
        #expect(passing.states == [.good])
        let status = try #require(accounts.status())
        #expect(!status.hasCredentials && status.failing != nil && status.counters.calls == 1)
    }

    @Test func `the account of a user of no known project is unavailable`() throws {
        let (mine, other) = (try AccountRig(), try AccountRig())
        let both = ProjectAccounts(["my-app": mine.toolkit, "other-app": other.toolkit], first: "my-app")
        #expect(lookUp(both, Self.alice(nil, project: "third-app"), at: 0).states == [.unavailable])
        #expect(mine.transport.count == 1 && other.transport.count == 1)
        #expect(lookUp(both, Self.alice(nil, project: nil), at: 0).states == [])
        #expect(mine.transport.count == 2 && other.transport.count == 1, "the first project's user")
    }
}
