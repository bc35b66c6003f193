import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// One person with a Firebase account and with sign-ins at a provider, on two gateways that share one Redis.
struct FirebaseUsersRunTests {
    private static let rounds = 20
    private static let requests = 500

    /// Two gateways that find the users of the development provider's accounts.
    private static func run(
        maxStaleness: String = "5s", _ body: (Fleet, DevelopmentProvider) async throws -> Void
    ) async throws {
        let folder = try ScratchFolder()
        try await Fleet.withAccounts(
            { _ in ", firebase_users: identity" },
            arrange: { provider, configuration in
                let file = try provider.makeServiceAccount().write(toDirectory: folder.path)
                configuration["revocation"] = """
                    { source: firebase, service_account: '\(file)', lookup_url: '\(provider.url(.accountsLookup))',
                      lookup_timeout: 5s, max_staleness: \(maxStaleness), strict_timeout: \(Allowance.factor)s }
                    """
            }
        ) { fleet, _ in try await body(fleet, fleet.first.provider) }
        withExtendedLifetime(folder) {}
    }

    /// A user of Google with a Firebase account.
    private static func register(_ uid: String, _ provider: DevelopmentProvider) throws -> DevelopmentUser {
        var user = DevelopmentUser(uid: uid, email: "\(uid)@example.com", hostedDomain: "example.com")
        user.identities = ["google.com": [.string("google-\(uid)")]]
        try provider.setAccount(DevelopmentAccount(user))
        return user
    }

    @Test func `the uid is that of Firebase, also for two first sign-ins at once`() async throws {
        try await Self.run { fleet, provider in
            for round in 0..<Self.rounds {
                let user = try Self.register("person-\(round)", provider)
                let apps = fleet.gateways.map { AccountApp($0) }
                let clients = try apps.map { app in
                    try app.scenario.client(sending: app.request("sign-in", try app.proof(.google, of: user)))
                }
                let responses = try clients.map { try $0.response(to: "POST") }
                #expect(
                    responses.allSatisfy { $0.status == 200 && $0.json?["uid"] == .string(user.uid) },
                    "round \(round): \(responses.map(\.text))")
            }
            let user = try Self.register("person-0", provider)
            var app = AccountApp(fleet.gateways[1])
            let token = try provider.sign(provider.idToken(for: user).signedIn(at: unixNow()))
            #expect(try app.call("session", ["id_token": .string(token)]).json?["uid"] == "person-0")
            #expect(try app.get("/me/x").status == 200)
            app.session = nil
            #expect(try app.signIn(.google, as: user)["uid"] == "person-0")
            #expect(try app.scenario.passes(.cookie(try #require(app.session), "/me/x"))["X-Auth-Uid"] == "person-0")
            let bearer = try app.idToken(.google, of: user, nil)
            #expect(try app.scenario.passes(.bearer(bearer, "/me/x"))["X-Auth-Uid"] == "person-0")
        }
    }

    @Test func `an identity that Firebase evicted loses its sessions and tokens on both gateways`() async throws {
        try await Self.run { fleet, provider in
            let user = try Self.register("evicted", provider)
            var app = AccountApp(fleet.first)
            try app.signIn(.google, as: user)
            let session = WireRequest.cookie(try #require(app.session), "/me/x")
            let bearer = WireRequest.bearer(try app.idToken(.google, of: user, nil), "/me/x")
            for request in [session, bearer] { try await fleet.eventuallyAll(request, 200) }
            let clock = ContinuousClock()
            let start = clock.now
            provider.updateAccount(user.uid) { $0.user.identities = [:] }
            for request in [session, bearer] { try await fleet.eventuallyAll(request, 401) }
            print("Firebase users: \(clock.now - start) from an unlink in Firebase to the denials on both gateways")
            app = AccountApp(fleet.gateways[1])
            let refused = try app.call("sign-in", try app.proof(.google, of: user))
            #expect(refused.status == 401 && refused.json?["code"] == "auth/requires-recent-login", "\(refused.text)")
            let other = try app.signIn(.google, as: user)["uid"]
            #expect(other != .string(user.uid))
        }
    }

    @Test func `an identity that was added in Firebase is valid, whatever the age of the cached record`() async throws {
        try await Self.run(maxStaleness: "1h") { fleet, provider in
            let user = try Self.register("adding", provider)
            provider.updateAccount(user.uid) { $0.user.identities = [:] }
            let token = try provider.sign(provider.idToken(for: user).signedIn(at: unixNow()))
            try await fleet.eventuallyAll(.bearer(token, "/me/x"), 200)
            provider.updateAccount(user.uid) { $0.user.identities = user.identities }
            var app = AccountApp(fleet.first)
            #expect(try app.signIn(.google, as: user)["uid"] == .string(user.uid))
            try await fleet.eventuallyAll(.cookie(try #require(app.session), "/me/x"), 200)
        }
    }

    @Test func `an outage of Firebase creates no account`() async throws {
        try await Self.run { fleet, provider in
            let user = try Self.register("patient", provider)
            provider.misbehave(.status(503), at: .accountsLookup)
            for gateway in fleet.gateways {
                var app = AccountApp(gateway)
                expectDenial(
                    try app.call("sign-in", try app.proof(.google, of: user)), 503, "auth/store-unavailable")
            }
            provider.misbehave(nil, at: .accountsLookup)
            _ = try await eventually("a sign-in as the Firebase user") {
                var app = AccountApp(fleet.first)
                let response = try app.call("sign-in", try app.proof(.google, of: user))
                return response.json?["uid"] == .string(user.uid) ? true : nil
            }
        }
    }

    @Test func `requests share the lookups of their user`() async throws {
        try await Self.run { fleet, provider in
            let user = try Self.register("busy", provider)
            var app = AccountApp(fleet.first)
            try app.signIn(.google, as: user)
            let request = WireRequest.cookie(try #require(app.session), "/me/x")
            let before = provider.calls(to: .accountsLookup)
            let clock = ContinuousClock()
            let start = clock.now
            for _ in 0..<Self.requests {
                for gateway in fleet.gateways { #expect(try gateway.send(request).status == 200) }
            }
            let elapsed = clock.now - start
            let lookups = provider.calls(to: .accountsLookup) - before
            print("Firebase users: \(lookups) lookups for \(2 * Self.requests) requests in \(elapsed) at 5 s")
            #expect(lookups <= 2 * (2 + Int(elapsed.components.seconds)), "one per gateway and second")
        }
    }
}
