import DevelopmentIdentity
import Testing

/// Sign-ins by an identity that was unlinked, on two gateways that share one Redis.
struct UnlinkedSignInTests {
    private static let owner = DevelopmentUser(uid: "owner", email: "owner@example.com", hostedDomain: "example.com")
    private static let mallory = DevelopmentUser(
        uid: "mallory", email: "mallory@example.com", hostedDomain: "example.com")

    /// Returns the uid of the account that a user signs in to.
    private func uid(
        _ provider: IdentityProvider, as user: DevelopmentUser, at gateway: Scenario
    ) throws -> JSON? {
        var app = AccountApp(gateway)
        return try app.signIn(provider, as: user)["uid"]
    }

    @Test func `the identity that created the account cannot sign in to it after it was unlinked`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var owner = AccountApp(fleet.gateways[0])
            let account = try owner.signIn(.google, as: Self.owner)["uid"]
            let linked = try owner.call("link", owner.proof(.apple, of: .alan).with("consent", true))
            #expect(linked.status == 200, "\(linked.text)")
            try owner.signIn(.apple, as: .alan)
            let unlinked = try owner.call("unlink", ["provider": "google.com"])
            #expect(unlinked.status == 200, "\(unlinked.text)")
            for gateway in fleet.gateways {
                var intruder = AccountApp(gateway)
                #expect(try intruder.signIn(.google, as: Self.owner)["uid"] != account)
                #expect(try intruder.call("unlink", ["provider": "apple.com"]).status == 404)
                #expect(try uid(.apple, as: .alan, at: gateway) == account)
            }
        }
    }

    @Test func `the address of an unlinked identity does not give access to the account`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var owner = AccountApp(fleet.gateways[0])
            let nameless = DevelopmentUser(uid: "nameless")
            let account = try owner.signIn(.oidc("corp"), as: nameless)["uid"]
            let linked = try owner.call("link", owner.proof(.google, of: Self.mallory))
            #expect(linked.status == 200, "\(linked.text)")
            let unlinked = try owner.call("unlink", ["provider": "google.com"])
            #expect(unlinked.status == 200, "\(unlinked.text)")
            for gateway in fleet.gateways.reversed() {
                #expect(try uid(.oidc("partner"), as: Self.mallory, at: gateway) != account)
                #expect(try uid(.google, as: Self.mallory, at: gateway) != account)
                #expect(try uid(.oidc("corp"), as: nameless, at: gateway) == account)
            }
        }
    }

    @Test func `an unlinked identity gets the advice to have the account's user link it`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var owner = AccountApp(fleet.gateways[0])
            let account = try owner.signIn(.google, as: Self.owner)["uid"]
            #expect(try uid(.oidc("corp"), as: Self.owner, at: fleet.gateways[1]) == account, "one address")
            try owner.signIn(.oidc("corp"), as: Self.owner)
            #expect(try owner.call("unlink", ["provider": "google.com"]).status == 200)
            try owner.signIn(.oidc("corp"), as: Self.owner)
            var intruder = AccountApp(fleet.gateways[1])
            let refused = try intruder.call("sign-in", intruder.proof(.google, of: Self.owner))
            #expect(refused.status == 409 && refused.json?["code"] == "auth/account-exists-with-different-credential")
            let pending: JSON = ["pending_token": try #require(refused.json?["pending_token"], "\(refused.text)")]
            #expect(try intruder.call("sign-in", pending).status == 400)
            #expect(try owner.call("link", pending).status == 200)
            #expect(try uid(.google, as: Self.owner, at: fleet.gateways[1]) == account)
        }
    }
}
