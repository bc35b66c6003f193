import DevelopmentIdentity
import Testing

/// Sessions end with the identity that began them, on two gateways that share one Redis.
struct SessionOriginTests {
    private static let attacker = DevelopmentUser(uid: "mallory", email: "mallory@example.net")

    private func expectEnded(
        _ session: String?, _ fleet: Fleet, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let session = try #require(session, sourceLocation: sourceLocation)
        for gateway in fleet.gateways {
            for target in ["/me/x", "/strict/x", "/recent/x", "/optional/x"] {
                let response = try gateway.send(.cookie(session, target))
                expectDenial(
                    response, 401, "auth/session-cookie-revoked", "\(target)", sourceLocation: sourceLocation)
            }
        }
    }

    /// Sections 1 and 5, O-27: an identity that was unlinked cannot return to the account.
    @Test func `an unlinked identity loses its sessions and cannot regain the account`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var owner = AccountApp(fleet.gateways[0])
            try owner.signIn(.oidc("corp"), as: .ada)
            let linked = try owner.call("link", owner.proof(.oidc("partner"), of: Self.attacker).with("consent", true))
            #expect(linked.status == 200, "\(linked.text)")
            var attackers = fleet.gateways.map { AccountApp($0) }
            for index in attackers.indices {
                try attackers[index].signIn(.oidc("partner"), as: Self.attacker)
                #expect(try attackers[index].get("/recent/x").status == 200)
            }
            // The proofs are created before the unlink.
            let proofs = try attackers.map { try $0.proof(.oidc("partner"), of: Self.attacker) }
            #expect(try owner.call("unlink", ["provider": "oidc.partner"]).status == 200)
            // The session ends immediately on strict routes, and within the replication delay on other routes.
            try await fleet.eventuallyAll(.cookie(#require(attackers[0].session), "/me/x"), 401)
            for app in attackers { try expectEnded(app.session, fleet) }
            for (index, var app) in attackers.enumerated() {
                for (call, members) in [
                    ("link", proofs[index].with("consent", true)), ("unlink", ["provider": "oidc.corp"] as JSON),
                    ("reauthenticate", proofs[index]),
                ] {
                    let answer = try app.call(call, members)
                    #expect(answer.status == 401, "\(call): \(answer.text)")
                }
                let everywhere = try app.call("sign-out", ["everywhere": true])
                #expect(everywhere.status == 401, "\(everywhere.text)")
            }
            // The identity has no account. It therefore creates a new one.
            var fresh = AccountApp(fleet.gateways[1])
            let answer = try fresh.signIn(.oidc("partner"), as: Self.attacker)
            #expect(answer["is_new_user"] == true)
            for gateway in fleet.gateways {
                #expect(try gateway.send(.cookie(#require(owner.session), "/recent/x")).status == 200)
            }
            #expect(try owner.call("unlink", ["provider": "oidc.partner"]).status == 404)
        }
    }

    @Test(arguments: ["revoke", "disable"])
    func `revoking an identity ends its tokens, sign-ins and sessions`(_ action: String) async throws {
        try await Fleet.withAccounts { fleet, _ in
            var app = AccountApp(fleet.gateways[0])
            try app.signIn(.oidc("corp"), as: .ada) { $0.issued(at: unixNow() - 10) }
            let session = try #require(app.session)
            let bearer = try app.idToken(.oidc("corp"), of: .ada, nil) {
                $0.issued(at: unixNow() - 10).signedIn(at: unixNow() - 10)
            }
            let proof = try app.proof(.oidc("corp"), of: .ada) { $0.issued(at: unixNow() - 9) }
            #expect(try app.scenario.send(.bearer(bearer, "/me/x")).status == 200)
            let name = "oidc.corp:\(DevelopmentUser.ada.subject(at: "oidc.corp"))"
            #expect(try fleet.gateways[1].admin("POST", "/v1/users/\(name)/\(action)").status == 200)
            try await fleet.eventuallyAll(.cookie(session, "/me/x"), 401)
            for gateway in fleet.gateways {
                #expect(try gateway.send(.cookie(session, "/strict/x")).status != 200)
                #expect(try gateway.send(.bearer(bearer, "/me/x")).status != 200)
            }
            #expect(try app.call("sign-in", proof).status != 200)
            guard action == "revoke" else { return }
            // A later sign-in passes immediately.
            try app.signIn(.oidc("corp"), as: .ada)
            for gateway in fleet.gateways {
                #expect(try gateway.send(.cookie(#require(app.session), "/me/x")).status == 200)
            }
        }
    }

    @Test func `a sign-out everywhere ends sessions of the same second and permits a new sign-in`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var apps = fleet.gateways.map { AccountApp($0) }
            for _ in 0..<5 {
                for index in apps.indices { try apps[index].signIn(.oidc("corp"), as: .ada) }
                let sessions = apps.map(\.session)
                #expect(try apps[0].call("sign-out", ["everywhere": true]).status == 204)
                for session in sessions { try await fleet.eventuallyAll(.cookie(#require(session), "/me/x"), 401) }
            }
            try apps[1].signIn(.oidc("corp"), as: .ada)
            #expect(try apps[1].get("/recent/x").status == 200)
        }
    }

    /// O-27.
    @Test func `the removal of a provider from the configuration ends its sessions`() async throws {
        try await ReloadScenario.run(
            arrange: {
                $0["accounts"] = "{}"
            },
            { reload in
                let provider = reload.scenario.provider
                func entries(_ change: (String) -> String) -> [String] {
                    [IdentityProvider.google, .oidc("corp")].map { change(provider.entry($0)) }
                }
                try await reload.reload { $0.identify(provider, entries { $0 }) }
                var google = AccountApp(reload.scenario)
                var corp = AccountApp(reload.scenario)
                try google.signIn(.google, as: .ada)
                try corp.signIn(.oidc("corp"), as: .grace)
                for app in [google, corp] { #expect(try app.get("/me/x").status == 200) }
                try await reload.reload {
                    $0.identify(
                        provider,
                        [
                            provider.entry(.google).replacing(
                                "hosted_domain: example.com", with: "hosted_domain: other.example")
                        ])
                }
                for app in [google, corp] {
                    expectDenial(try app.get("/me/x"), 401, "auth/invalid-session-cookie")
                }
                try await reload.reload { $0.identify(provider, entries { $0 }) }
                for app in [google, corp] { #expect(try app.get("/me/x").status == 200) }
            })
    }
}
