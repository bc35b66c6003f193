import DevelopmentIdentity
import Testing

/// Calls that exclude each other, made on two gateways at once: each is decided once.
struct AccountRaceTests {
    private static let rounds = 60

    /// Two calls, each whole with its gateway before either's answer is read.
    private func race(
        _ first: (AccountApp, String, JSON), _ second: (AccountApp, String, JSON)
    ) throws -> [WireResponse] {
        let clients = try [first, second].map { call in
            let client = try RawClient(port: call.0.scenario.gateway.port)
            try client.send(call.0.request(call.1, call.2).bytes)
            return client
        }
        return try clients.map { try $0.response(to: "POST") }
    }

    private func user(_ what: String, _ round: Int) -> DevelopmentUser {
        DevelopmentUser(uid: "\(what)\(round)", email: "\(what)\(round)@example.com", hostedDomain: "example.com")
    }

    private func tell(_ what: String, winners: Int) {
        print("race, \(what): rounds \(Self.rounds), exactly one winner in \(winners)")
        #expect(winners == Self.rounds)
    }

    @Test func i10TwoUsesOfOneNonce() async throws {
        try await Fleet.withAccounts { fleet, _ in
            let apps = fleet.gateways.map { AccountApp($0) }
            var winners = 0
            for round in 0..<Self.rounds {
                let nonce = try apps[round % 2].nonce()
                // Each is a sign-in of its own: only the nonce is the same.
                let calls = try (0..<2).map { index in
                    let token = try apps[0].idToken(.apple, of: user("nonce\(index)-", round), nonce)
                    return [
                        "provider": "apple.com", "id_token": .string(token), "nonce": .string(nonce.raw),
                    ] as JSON
                }
                let answers = try race((apps[0], "sign-in", calls[0]), (apps[1], "sign-in", calls[1]))
                winners += answers.map(\.status).sorted() == [200, 400] ? 1 : 0
                let loser = answers.first { $0.status != 200 }
                #expect(loser?.json?["code"] == "auth/missing-or-invalid-nonce")
            }
            tell("two uses of one nonce", winners: winners)
        }
    }

    @Test func i10TwoUsesOfOneProof() async throws {
        try await Fleet.withAccounts { fleet, _ in
            let apps = fleet.gateways.map { AccountApp($0) }
            var winners = 0
            for round in 0..<Self.rounds {
                let token = try apps[0].idToken(.google, of: user("proof", round), nil)
                let call: JSON = ["provider": "google.com", "id_token": .string(token)]
                let answers = try race((apps[0], "sign-in", call), (apps[1], "sign-in", call))
                winners += answers.map(\.status).sorted() == [200, 400] ? 1 : 0
            }
            tell("two uses of one ID token", winners: winners)
        }
    }

    @Test func twoFirstSignInsOfOneIdentityMakeOneAccount() async throws {
        try await Fleet.withAccounts { fleet, _ in
            let apps = fleet.gateways.map { AccountApp($0) }
            var winners = 0
            for round in 0..<Self.rounds {
                let user = user("first", round)
                let calls = try apps.map { try $0.proof(.google, of: user) }
                let answers = try race((apps[0], "sign-in", calls[0]), (apps[1], "sign-in", calls[1]))
                #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.text))")
                #expect(answers[0].json?["uid"] == answers[1].json?["uid"])
                winners += answers.filter { $0.json?["is_new_user"] == true }.count == 1 ? 1 : 0
            }
            tell("two first sign-ins of one identity", winners: winners)
        }
    }

    @Test func twoLinksOfOneIdentity() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var winners = 0
            for round in 0..<Self.rounds {
                var apps = fleet.gateways.map { AccountApp($0) }
                try apps[0].signIn(.google, as: user("left", round))
                try apps[1].signIn(.google, as: user("right", round))
                let identity = user("linked", round)
                let calls = try apps.map { try $0.proof(.oidc("corp"), of: identity) }
                let answers = try race((apps[0], "link", calls[0]), (apps[1], "link", calls[1]))
                winners += answers.map(\.status).sorted() == [200, 409] ? 1 : 0
                let loser = answers.first { $0.status != 200 }
                #expect(loser?.json?["code"] == "auth/credential-already-in-use", "\(answers.map(\.text))")
            }
            tell("two links of one identity", winners: winners)
        }
    }

    @Test func twoUsesOfOnePendingToken() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var apps = fleet.gateways.map { AccountApp($0) }
            try apps[0].signIn(.google, as: user("owner", 0))
            try apps[1].signIn(.google, as: user("other", 0))
            let identity = user("wanted", 0)
            #expect(try apps[0].call("link", apps[0].proof(.oidc("corp"), of: identity)).status == 200)
            var winners = 0
            for _ in 0..<Self.rounds {
                let refused = try apps[1].call("link", apps[1].proof(.oidc("corp"), of: identity))
                let call: JSON = ["pending_token": try #require(refused.json?["pending_token"], "\(refused.text)")]
                let answers = try race(
                    (AccountApp(fleet.gateways[0]), "sign-in", call), (AccountApp(fleet.gateways[1]), "sign-in", call))
                winners += answers.map(\.status).sorted() == [200, 400] ? 1 : 0
            }
            tell("two uses of one pending token", winners: winners)
        }
    }

    /// Whoever comes first: afterwards the identity belongs to one account, and no account lists what is not its own.
    @Test func anUnlinkAgainstASignInOfThatIdentity() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var winners = 0
            for round in 0..<Self.rounds {
                var app = AccountApp(fleet.gateways[0])
                let other = AccountApp(fleet.gateways[1])
                let (owner, identity) = (user("keeper", round), user("leaver", round))
                let old = try app.signIn(.google, as: owner)["uid"]
                #expect(try app.call("link", app.proof(.oidc("corp"), of: identity)).status == 200)
                let answers = try race(
                    (app, "unlink", ["provider": "oidc.corp"]),
                    (other, "sign-in", other.proof(.oidc("corp"), of: identity)))
                #expect(answers[0].json?["providers"] == ["google.com"])
                let during = answers[1].json
                // The unlinking revokes the identity's earlier tokens; this one may be of the second before.
                let isRefused = during?["code"] == "auth/id-token-revoked"
                #expect(answers[0].status == 200 && (answers[1].status == 200 || isRefused), "\(answers.map(\.text))")
                var later = AccountApp(fleet.gateways[round % 2])
                let after = try later.signIn(.oidc("corp"), as: identity)
                #expect(after["uid"] != old)
                let isNew = during?["is_new_user"] == true
                let isConsistent = isNew ? after["uid"] == during?["uid"] : isRefused || during?["uid"] == old
                winners += isConsistent ? 1 : 0
            }
            tell("an unlink against a sign-in", winners: winners)
        }
    }

    /// The last one stays, whichever that is.
    @Test func twoUnlinksOfTheLastTwoProviders() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var winners = 0
            for round in 0..<Self.rounds {
                var app = AccountApp(fleet.gateways[0])
                try app.signIn(.google, as: user("two", round))
                #expect(try app.call("link", app.proof(.oidc("corp"), of: user("two", round))).status == 200)
                var other = AccountApp(fleet.gateways[1])
                other.session = app.session
                let answers = try race(
                    (app, "unlink", ["provider": "oidc.corp"]), (other, "unlink", ["provider": "google.com"]))
                // Where Google's link ended first, so did the session that it began.
                let statuses = answers.map(\.status).sorted()
                winners += statuses == [200, 400] || statuses == [200, 401] ? 1 : 0
            }
            tell("two unlinks of the last two providers", winners: winners)
        }
    }
}
