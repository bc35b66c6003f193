import DevelopmentIdentity
import Testing

/// Conflicting calls on two gateways at the same time: exactly one succeeds.
///
/// `RaceTests` has these and further races within one process.
struct AccountRaceTests {
    private static let rounds = 60

    /// Sends two calls completely before it reads either response.
    private func race(
        _ first: (AccountApp, String, JSON), _ second: (AccountApp, String, JSON)
    ) throws -> [WireResponse] {
        let clients = try [first, second].map { try $0.0.scenario.client(sending: $0.0.request($0.1, $0.2)) }
        return try clients.map { try $0.response(to: "POST") }
    }

    private func user(_ what: String, _ round: Int) -> DevelopmentUser {
        DevelopmentUser(uid: "\(what)\(round)", email: "\(what)\(round)@example.com", hostedDomain: "example.com")
    }

    /// Expects that `hasOneWinner` is true for each round, with one app on each of two gateways.
    private func eachRound(_ hasOneWinner: ([AccountApp], Int) throws -> Bool) async throws {
        try await Fleet.withAccounts { fleet, _ in
            for round in 0..<Self.rounds {
                let isDecidedOnce = try hasOneWinner(fleet.gateways.map { AccountApp($0) }, round)
                #expect(isDecidedOnce, "round \(round)")
            }
        }
    }

    @Test func `I-10: two gateways accept a nonce once`() async throws {
        try await eachRound { apps, round in
            let nonce = try apps[round % 2].nonce()
            // The sign-ins differ; only the nonce is the same.
            let calls = try (0..<2).map { index -> JSON in
                let token = try apps[0].idToken(.apple, of: user("nonce\(index)-", round), nonce)
                return ["provider": "apple.com", "id_token": .string(token), "nonce": .string(nonce.raw)]
            }
            let responses = try race((apps[0], "sign-in", calls[0]), (apps[1], "sign-in", calls[1]))
            let loser = responses.first { $0.status != 200 }
            #expect(loser?.json?["code"] == "auth/missing-or-invalid-nonce")
            return responses.map(\.status).sorted() == [200, 400]
        }
    }

    @Test func `two first sign-ins of one identity create one account`() async throws {
        try await eachRound { apps, round in
            let user = user("first", round)
            let calls = try apps.map { try $0.proof(.google, of: user) }
            let responses = try race((apps[0], "sign-in", calls[0]), (apps[1], "sign-in", calls[1]))
            #expect(responses.allSatisfy { $0.status == 200 }, "\(responses.map(\.text))")
            #expect(responses[0].json?["uid"] == responses[1].json?["uid"])
            return responses.count { $0.json?["is_new_user"] == true } == 1
        }
    }

    @Test func `one identity is linked to one account`() async throws {
        try await eachRound { apps, round in
            var apps = apps
            try apps[0].signIn(.google, as: user("left", round))
            try apps[1].signIn(.google, as: user("right", round))
            let identity = user("linked", round)
            let calls = try apps.map { try $0.proof(.oidc("corp"), of: identity) }
            let responses = try race((apps[0], "link", calls[0]), (apps[1], "link", calls[1]))
            let loser = responses.first { $0.status != 200 }
            #expect(loser?.json?["code"] == "auth/credential-already-in-use", "\(responses.map(\.text))")
            return responses.map(\.status).sorted() == [200, 409]
        }
    }

    @Test func `of the last two providers one stays linked`() async throws {
        try await eachRound { apps, round in
            var apps = apps
            try apps[0].signIn(.google, as: user("two", round))
            #expect(try apps[0].call("link", apps[0].proof(.oidc("corp"), of: user("two", round))).status == 200)
            apps[1].session = apps[0].session
            let responses = try race(
                (apps[0], "unlink", ["provider": "oidc.corp"]), (apps[1], "unlink", ["provider": "google.com"]))
            // If Google is unlinked first, the session that it began has ended.
            let statuses = responses.map(\.status).sorted()
            return statuses == [200, 400] || statuses == [200, 401]
        }
    }
}
