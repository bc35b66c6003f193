import Logging
import Revocation
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

@Suite struct IdentityToolkitFailureTests {
    @Test(
        arguments: [
            (503, "", nil, 1.0), (429, "", "7", 7), (500, "", nil, 1), (404, "", nil, 1), (200, "<html>", nil, 1),
        ] as [(Int, String, String?, Double)])
    func `an outage is a failure, not a status of an account, and is reported immediately`(
        status: Int, body: String, retryAfter: String?, pause: Double
    ) throws {
        let rig = try AccountRig()
        let lookups = (0..<6).map { rig.lookUp("u\($0)") }
        rig.transport.answer(1, status, body, retryAfter: retryAfter)
        #expect(lookups[0].states == [.unavailable])
        #expect(lookups[1].states == [], "its call runs")
        #expect(lookups[5].states == [.unavailable])
        rig.advance(pause - 0.1)
        #expect(rig.lookUp("u0").all == [AccountStatus(state: .unavailable, queriedAt: rig.time.monotonic)])
        #expect(rig.transport.count == 5)
        rig.advance(0.1)
        rig.lookUp("u0")
        #expect(rig.transport.count == 5, "one at a time until it recovers")
        for place in 2...4 { rig.answer(place) }
        #expect(rig.transport.count == 6)
    }

    private func ofTenant(_ uid: String, _ tenant: String?) -> UserKey { UserKey(uid: uid, tenant: tenant) }

    @Test func `a tenant whose lookups fail pauses no other tenant, and recovers with one call at a time`() throws {
        let rig = try AccountRig()
        let first = rig.lookUp(user: ofTenant("u1", "acme"))
        rig.transport.answer(1, 503, "")
        #expect(first.states == [.unavailable])
        #expect(rig.lookUp(user: ofTenant("u2", "acme")).states == [.unavailable], "paused")
        #expect(rig.transport.count == 2)
        let others = [nil, "globex"].map { rig.lookUp(user: ofTenant("u1", $0)) }
        #expect(rig.transport.count == 4 && others.allSatisfy { $0.states.isEmpty })
        for place in 2...3 { rig.answer(place, #"{"localId":"u1"}"#) }
        #expect(others.allSatisfy { $0.states == [.good] })
        rig.advance(1)
        let probe = rig.lookUp(user: ofTenant("u1", "acme"))
        #expect(rig.transport.count == 5)
        #expect(rig.lookUp(user: ofTenant("u2", "acme")).states == [.unavailable], "one call at a time")
        rig.answer(4, #"{"localId":"u1"}"#)
        #expect(probe.states == [.good])
        rig.lookUp(user: ofTenant("u2", "acme"))
        rig.lookUp(user: ofTenant("u3", "acme"))
        #expect(rig.transport.count == 7)
    }

    @Test func `the waiting lookups of a failing tenant are rejected with it, and the others continue`() throws {
        let rig = try AccountRig.busy()
        let acme = (0..<20).map { rig.lookUp(user: ofTenant("a\($0)", "acme")) }
        let globex = (0..<20).map { rig.lookUp(user: ofTenant("g\($0)", "globex")) }
        rig.transport.always { request in
            .success(OutboundResponse(status: request.url.contains("acme") ? 500 : 200, body: Array("{}".utf8)))
        }
        rig.answer(1)
        #expect(acme.allSatisfy { $0.states == [.unavailable] })
        #expect(globex.allSatisfy { $0.states == [.missing] })
    }

    @Test func `three failing tenants are an outage of the project`() throws {
        let rig = try AccountRig()
        for (number, tenant) in ["a", "b", "c"].enumerated() {
            rig.lookUp(user: ofTenant("u", tenant))
            rig.transport.answer(1 + number, 503, "")
            #expect((rig.toolkit.status().pausedFor > 0) == (number == 2))
        }
        #expect(rig.lookUp(user: ofTenant("u", "d")).states == [.unavailable])
        #expect(rig.transport.count == 4)
    }

    @Test(arguments: [(429, nil), (503, "7"), (401, nil)] as [(Int, String?)])
    func `a failure that concerns the project pauses all tenants`(status: Int, retryAfter: String?) throws {
        let rig = try AccountRig()
        rig.lookUp(user: ofTenant("u", "acme"))
        rig.transport.answer(1, status, "", retryAfter: retryAfter)
        if status == 401 {
            rig.answerToken(2, "at-2")
            rig.transport.answer(3, status, "")
        }
        #expect(rig.toolkit.status().pausedFor > 0)
        #expect(rig.lookUp(user: ofTenant("u", "globex")).states == [.unavailable])
    }

    @Test func `a cached status is used during an outage`() throws {
        let rig = try AccountRig()
        rig.lookUp("alice")
        rig.answer(1, #"{"localId":"alice"}"#)
        rig.advance(1)
        rig.lookUp("alice")
        rig.transport.answer(2, 503, "")
        #expect(rig.lookUp("alice", notOlderThan: 60).states == [.good])
        #expect(rig.lookUp("alice").states == [.unavailable])
    }

    @Test func `an account with a refused lookup delays no other account`() throws {
        let rig = try AccountRig.busy()
        let lookups = (0..<40).map { rig.lookUp("u\($0)") }
        rig.transport.always { request in
            let isPoisoned = request.bodyText.contains(#""u17""#)
            return .success(OutboundResponse(status: isPoisoned ? 400 : 200, body: Array("{}".utf8)))
        }
        rig.answer(1)
        for (number, statuses) in lookups.enumerated() {
            #expect(statuses.states == [number == 17 ? .unavailable : .missing])
        }
        #expect(rig.toolkit.status().pausedFor == 0)
    }

    @Test func `a service that refuses every account gets a pause`() throws {
        let rig = try AccountRig.busy()
        let lookups = (0..<64).map { rig.lookUp("u\($0)") }
        rig.transport.always { _ in .success(OutboundResponse(status: 400, body: [])) }
        rig.answer(1)
        #expect(lookups.allSatisfy { $0.states == [.unavailable] })
        #expect(rig.transport.count < 20)
        #expect(rig.toolkit.status().pausedFor > 0)
    }

    @Test func `a lookup with a response above the size limit is split`() throws {
        let rig = try AccountRig.busy()
        let lookups = (0..<2).map { rig.lookUp("u\($0)") }
        rig.answer(1)
        rig.transport.answer(5, .failure(LookupFailure(.tooLarge)))
        #expect(try [rig.uids(6)] == [["u0"]])
        rig.answer(6)
        #expect(try rig.uids(7) == ["u1"])
        rig.answer(7)
        #expect(lookups.allSatisfy { $0.states == [.missing] })
    }

    // MARK: - Access token

    @Test func `all waiting lookups share one access token`() throws {
        let rig = try AccountRig(token: false)
        let lookups = (0..<6).map { rig.lookUp("u\($0)") }
        #expect(rig.transport.count == 1)
        #expect(!rig.toolkit.hasToken)
        rig.answerToken(0)
        #expect(rig.transport.count == 2)
        #expect(try rig.uids(1).count == 6)
        rig.answer(1)
        #expect(lookups.allSatisfy { $0.states == [.missing] })
    }

    @Test(arguments: [("3600", 3375), ("60", 48), ("100.9", 80)] as [(String, Double)])
    func `a token is renewed 225 s or a fifth of its lifetime before its end`(lifetime: String, seconds: Double) throws
    {
        let rig = try AccountRig(token: false)
        rig.toolkit.start()
        rig.answerToken(0, lifetime: lifetime)
        rig.advance(seconds - 0.5)
        rig.lookUp("a")
        #expect(rig.transport.count == 2)
        rig.advance(0.5)
        rig.lookUp("b")
        #expect(rig.transport.count == 4, "the old one is still used")
        #expect(rig.transport.calls[2].request.url == "https://oauth2.example/token")
        #expect(rig.transport.calls[3].request.field("authorization") == "Bearer at-1")
        rig.answerToken(2, "at-2")
        rig.lookUp("c")
        #expect(rig.transport.calls[4].request.field("authorization") == "Bearer at-2")
    }

    @Test func `after a failed renewal the old token is used until its expiry`() throws {
        let rig = try AccountRig()
        rig.advance(3400)
        rig.lookUp("a")
        rig.transport.answer(1, 503, "", retryAfter: "30")
        rig.answer(2)
        let during = rig.lookUp("b")
        rig.answer(3)
        #expect(during.states == [.missing])
        #expect(rig.transport.count == 4)
        rig.advance(200)
        let after = rig.lookUp("c")
        #expect(rig.transport.count == 5)
        rig.answerToken(4, "at-2")
        rig.answer(5)
        #expect(after.states == [.missing])
    }

    @Test func `without an access token every lookup fails immediately`() throws {
        let rig = try AccountRig(token: false)
        let lookups = (0..<3).map { rig.lookUp("u\($0)") }
        rig.transport.answer(0, 400, #"{"error":"invalid_grant"}"#)
        #expect(lookups.allSatisfy { $0.states == [.unavailable] })
        #expect(rig.lookUp("u0").states == [.unavailable])
        #expect(rig.transport.count == 1)
        #expect(rig.log.all.map(\.level) == [.error])
        rig.advance(1)
        rig.lookUp("u0")
        #expect(rig.transport.count == 2)
    }

    @Test func `a refused access token is fetched again once`() throws {
        let rig = try AccountRig()
        let lookup = rig.lookUp("alice")
        rig.transport.answer(1, 401, "")
        #expect(lookup.states == [])
        rig.answerToken(2, "at-2")
        #expect(rig.transport.calls[3].request.field("authorization") == "Bearer at-2")
        rig.answer(3, #"{"localId":"alice"}"#)
        #expect(lookup.states == [.good])
    }

    @Test func `a refused access token is fetched again at once, also while failed renewals are repeated`() throws {
        let rig = try AccountRig()
        rig.advance(3375)
        var count = 1
        // The next renewal is 8 to 16 s away.
        for pause in [0.0, 1, 2, 4, 8] {
            rig.advance(pause)
            count += 1
            #expect(rig.transport.count == count)
            rig.transport.answer(count - 1, 503, "")
        }
        let lookup = rig.lookUp("alice")
        rig.transport.answer(6, 401, "")
        #expect(rig.transport.count == 8 && lookup.states == [])
        rig.answerToken(7, "at-2")
        #expect(rig.transport.calls[8].request.field("authorization") == "Bearer at-2")
        rig.answer(8, #"{"localId":"alice"}"#)
        #expect(lookup.states == [.good])
    }

    @Test func `after a refused access token, a pause that the token server requested is kept`() throws {
        let rig = try AccountRig()
        rig.advance(3375)
        rig.transport.answer(1, 503, "", retryAfter: "30")
        let lookups = (0..<2).map { rig.lookUp("u\($0)") }
        rig.advance(10)
        for place in 2...3 { rig.transport.answer(place, 401, "") }
        #expect(lookups.allSatisfy { $0.states == [.unavailable] }, "no lookup waits in vain")
        rig.advance(19.5)
        #expect(rig.lookUp("u0").states == [.unavailable])
        #expect(rig.transport.count == 4)
        rig.advance(0.5)
        let later = rig.lookUp("u0")
        #expect(rig.transport.count == 5)
        rig.answerToken(4, "at-2")
        rig.answer(5)
        #expect(later.states == [.missing])
    }

    @Test func `a call whose token expired is not repeated while no token can be fetched`() throws {
        let rig = try AccountRig()
        rig.advance(3599)
        rig.transport.answer(1, 503, "", retryAfter: "1")
        let lookup = rig.lookUp("alice")
        rig.advance(1)
        let other = rig.lookUp("bob")
        rig.transport.answer(3, 503, "")
        #expect(other.states == [.unavailable])
        rig.transport.answer(2, 401, "")
        #expect(lookup.states == [.unavailable])
    }

    @Test func `a key that is always rejected is an outage`() throws {
        let rig = try AccountRig()
        let lookup = rig.lookUp("alice")
        rig.transport.answer(1, 401, "")
        rig.answerToken(2, "at-2")
        rig.transport.answer(3, 401, "")
        #expect(lookup.states == [.unavailable])
        #expect(rig.lookUp("bob").states == [.unavailable])
        #expect(rig.transport.count == 4)
        #expect(rig.log.all.map(\.level) == [.error])
    }

    @Test func `several refused calls fetch one access token`() throws {
        let rig = try AccountRig()
        let lookups = (0..<4).map { rig.lookUp("u\($0)") }
        for place in 1...4 { rig.transport.answer(place, 401, "") }
        #expect(rig.transport.count == 6)
        rig.answerToken(5, "at-2")
        #expect(rig.transport.count == 10)
        for place in 6...9 { rig.answer(place) }
        #expect(lookups.allSatisfy { $0.states == [.missing] })
    }

    @Test func `no token, key or uid is logged or dumped`() throws {
        let rig = try AccountRig()
        rig.lookUp("the-uid")
        rig.transport.answer(1, 500, "at-1 the-uid")
        #expect(!rig.log.all.isEmpty)
        #expect(!rig.log.text.contains("at-1") && !rig.log.text.contains("the-uid"))
        var shown = ""
        dump(rig.toolkit, to: &shown)
        #expect(!shown.contains("at-1") && !shown.contains("PRIVATE KEY"))
    }
}
