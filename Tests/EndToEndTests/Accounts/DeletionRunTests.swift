import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// The deletion of an account, on two gateways that share one Redis.
struct DeletionRunTests {
    private func link(_ user: DevelopmentUser) -> String { "oidc.corp:\(user.subject(at: "oidc.corp"))" }

    @Test func `O-26: nothing of a deleted account is accepted on any gateway`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var apps = fleet.gateways.map { AccountApp($0) }
            let account = try apps[0].signIn(.oidc("corp"), as: .ada) { $0.issued(at: unixNow() - 5) }["uid"]
            #expect(try apps[1].signIn(.oidc("corp"), as: .ada) { $0.issued(at: unixNow() - 5) }["uid"] == account)
            let sessions = try apps.map { try #require($0.session) }
            let bearer = try apps[0].idToken(.oidc("corp"), of: .ada, nil) {
                $0.issued(at: unixNow() - 5).signedIn(at: unixNow() - 5)
            }
            #expect(try fleet.gateways[1].send(.bearer(bearer, "/strict/x")).status == 200)
            let proof = try apps[1].proof(.oidc("corp"), of: .ada) { $0.issued(at: unixNow() - 5) }

            let watches = fleet.gateways.flatMap { gateway in
                ["/strict/x", "/me/x"].map { AcceptanceWatch(gateway, .cookie(sessions[0], $0)) }
            }
            for watch in watches {
                _ = try await eventually("accepted requests") { watch.acceptedCount > 2 ? true : nil }
            }
            let deleted = try apps[0].call("account/delete", nil)
            let (responded, second) = (ContinuousClock.now, unixNow())
            #expect(deleted.status == 204 && apps[0].session == nil, "\(deleted.text)")

            for (place, watch) in watches.enumerated() {
                let report = try await watch.report(since: responded)
                // Strict routes read the store. Elsewhere a denial shows that the view has the deletion.
                if place.isMultiple(of: 2) { #expect(report.acceptedAfter == 0, "\(report)") }
                #expect(report.acceptedAfterDenial == 0 && report.deniedCount > 0, "\(report)")
                print(
                    "O-26: gateway \(place / 2), \(watch.target): last accepted request began",
                    "\(report.lastAccepted) s after the response to account/delete;",
                    "\(report.acceptedAfter) accepted after it")
            }

            // Immediately on strict routes and in all calls of accounts.
            for gateway in fleet.gateways {
                for session in sessions {
                    for target in ["/strict/x", "/recent/x"] {
                        #expect(try gateway.send(.cookie(session, target)).status == 401, "\(target)")
                    }
                }
                #expect(try gateway.send(.bearer(bearer, "/strict/x")).status == 401)
            }
            #expect(try apps[1].call("account/delete", nil).status == 401)
            #expect(try apps[1].call("reauthenticate", proof).status == 401)
            apps[1].session = nil
            #expect(try apps[1].call("sign-in", proof).status == 401)
            // Elsewhere within the time of replication.
            for session in sessions { try await fleet.eventuallyAll(.cookie(session, "/me/x"), 401) }
            try await fleet.eventuallyAll(.bearer(bearer, "/me/x"), 401)

            // Credentials of the second of the deletion are rejected.
            _ = try await eventually("the next second") { unixNow() > second ? true : nil }
            // A new sign-in creates another account, which does not revive the old sessions.
            let next = try apps[1].signIn(.oidc("corp"), as: .ada)
            #expect(next["is_new_user"] == true && next["uid"] != account)
            for gateway in fleet.gateways {
                #expect(try gateway.send(.cookie(#require(apps[1].session), "/recent/x")).status == 200)
                for session in sessions { #expect(try gateway.send(.cookie(session, "/me/x")).status == 401) }
                #expect(try gateway.send(.bearer(bearer, "/me/x")).status == 401)
            }
        }
    }

    @Test func `a deletion needs a recent sign-in and no request of another site`() async throws {
        try await Scenario.withAccounts { scenario in
            var app = AccountApp(scenario)
            try app.signIn(.oidc("corp"), as: .ada)
            let foreign = try app.call("account/delete", nil, "Origin: https://evil.example")
            expectDenial(foreign, 403, "request/cross-site")
            let read = try app.get("/.gatehouse/account/delete")
            #expect(read.status == 405 && read["Allow"] == "POST")
            let old = unixNow() - 3_600
            try app.signIn(.oidc("corp"), as: .ada) { $0.issued(at: old).signedIn(at: old) }
            expectDenial(
                try app.call("account/delete", nil), 401, "auth/requires-recent-login",
                challenge: #"Bearer error="insufficient_user_authentication", max_age="300""#)
            #expect(try app.get("/me/x").status == 200)
        }
    }
}
