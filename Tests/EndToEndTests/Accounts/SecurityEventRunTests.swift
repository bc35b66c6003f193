import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Security events of a transmitter, on two gateways that share one Redis.
struct SecurityEventRunTests {
    private static let issuer = "https://ssf.corp.example"
    private static let audience = "https://gateway.example"
    private static let base = "https://schemas.openid.net/secevent/"

    /// The configuration of the transmitter, which signs with the keys of `oidc.corp`.
    static func transmitters(_ provider: DevelopmentProvider) -> String {
        """
        , transmitters: { corp: { issuer: '\(issuer)', audiences: ['\(audience)'], provider: oidc.corp,
            keys_url: '\(provider.url(.keys(.oidc("corp"))))', authorization: Bearer agreed } }
        """
    }

    /// Events that end the sessions of their user, and their members.
    private static let ending: [(event: String, members: JSON)] = [
        ("caep/event-type/session-revoked", [:]),
        ("caep/event-type/token-claims-change", ["claims": ["role": "guest"]]),
        ("caep/event-type/credential-change", ["credential_type": "password", "change_type": "update"]),
        ("risc/event-type/account-disabled", ["reason": "hijacking"]),
        ("risc/event-type/account-purged", [:]),
        ("risc/event-type/account-credential-change-required", [:]),
        ("risc/event-type/credential-compromise", ["credential_type": "password"]),
        ("risc/event-type/sessions-revoked", [:]),
        ("oauth/event-type/tokens-revoked", [:]),
    ]

    /// Returns the token of an event about a user, which is issued now.
    private static func token(
        _ event: String, _ members: JSON = [:], about user: DevelopmentUser, _ scenario: Scenario, id: String
    ) throws -> String {
        let provider = scenario.provider
        var token = ProviderToken(
            of: .oidc("corp"),
            claims: [
                "iss": .string(issuer), "aud": .string(audience), "iat": .integer(unixNow()), "jti": .string(id),
                "events": .object([base + event: members]),
                "sub_id": [
                    "format": "iss_sub", "iss": .string(provider.issuer(of: .oidc("corp"))),
                    "sub": .string(user.subject(at: "oidc.corp")),
                ],
            ])
        token.header["typ"] = "secevent+jwt"
        return try provider.sign(token)
    }

    private static func push(
        _ token: String, to scenario: Scenario, type: String = "application/secevent+jwt",
        authorization: String = "Bearer agreed"
    ) throws -> WireResponse {
        var request = WireRequest.post("/.gatehouse/events/ssf", body: Array(token.utf8))
        request.fields += ["Content-Type: \(type)", "Accept: application/json", "Authorization: \(authorization)"]
        return try scenario.send(request)
    }

    private static func metrics(of scenario: Scenario) throws -> String {
        try RawClient.exchange(scenario.gateway.adminPort, WireRequest(target: "/metrics", host: "localhost")).text
    }

    @Test func `O-33: an event ends the sessions of its user on both gateways`() async throws {
        try await Fleet.withAccounts(Self.transmitters) { fleet, _ in
            let clock = ContinuousClock()
            var slowest = Duration.zero
            for (number, event) in Self.ending.enumerated() {
                let user = DevelopmentUser(uid: "user-\(number)", email: "user-\(number)@example.com")
                var app = AccountApp(fleet.first)
                try app.signIn(.oidc("corp"), as: user) { $0.issued(at: unixNow() - 5) }
                let session = try #require(app.session)
                let bearer = try app.idToken(.oidc("corp"), of: user, nil) {
                    $0.issued(at: unixNow() - 5).signedIn(at: unixNow() - 5)
                }
                for request in [WireRequest.cookie(session, "/me/x"), .bearer(bearer, "/me/x")] {
                    for gateway in fleet.gateways { #expect(try gateway.send(request).status == 200, "\(event.event)") }
                }
                let start = clock.now
                let token = try Self.token(event.event, event.members, about: user, fleet.first, id: "j-\(number)")
                let response = try Self.push(token, to: fleet.first)
                #expect(response.status == 202 && response.body.isEmpty, "\(event.event): \(response.text)")
                try await fleet.eventuallyAll(.cookie(session, "/me/x"), 401)
                slowest = max(slowest, clock.now - start)
                try await fleet.eventuallyAll(.bearer(bearer, "/me/x"), 401)
            }
            print("security events: at most \(slowest) from the delivery to the denials on both gateways")
        }
    }

    @Test func `a disabled account cannot sign in again`() async throws {
        try await Fleet.withAccounts(Self.transmitters) { fleet, _ in
            let user = DevelopmentUser(uid: "blocked", email: "blocked@example.com")
            var app = AccountApp(fleet.gateways[1])
            try app.signIn(.oidc("corp"), as: user) { $0.issued(at: unixNow() - 5) }
            let token = try Self.token("risc/event-type/account-disabled", about: user, fleet.first, id: "j-1")
            #expect(try Self.push(token, to: fleet.first).status == 202)
            app.session = nil
            let denied = try app.call("sign-in", try app.proof(.oidc("corp"), of: user))
            #expect(denied.status == 403 || denied.status == 401, "\(denied.text)")
        }
    }

    @Test func `O-33: a delivery that is not valid is rejected in the form of RFC 8935`() async throws {
        try await Scenario.withAccounts { scenario in
            expectDenial(try Self.push("x", to: scenario), 404, "route/not-found")
        }
        try await Fleet.withAccounts(Self.transmitters) { fleet, _ in
            let scenario = fleet.first
            func expect(_ response: WireResponse, _ code: String) {
                #expect(response.status == 400 && response["Content-Type"] == "application/json")
                #expect(response["Content-Language"] == "en" && response["Cache-Control"] == "no-store")
                #expect(response.json?["err"]?.stringValue == code, "\(response.text)")
                #expect(response.json?["description"]?.stringValue?.isEmpty == false)
            }
            let token = try Self.token("caep/event-type/session-revoked", about: .ada, scenario, id: "j-1")
            expect(try Self.push(token, to: scenario, authorization: "Bearer guess"), "authentication_failed")
            expect(try Self.push(token, to: scenario, type: "application/jwt"), "invalid_request")
            expect(try Self.push("not a token", to: scenario), "invalid_request")
            expect(try Self.push(Tampering.signatureBit.applied(to: token), to: scenario), "invalid_key")
            let large = try Self.push(String(repeating: "x", count: 40_000), to: scenario)
            expectDenial(large, 413, "request/too-large")
            let twice = try Self.push(token, to: scenario)
            #expect(twice.status == 202)
            #expect(try Self.push(token, to: fleet.gateways[1]).status == 202)
            for (gateway, result) in zip(fleet.gateways, ["applied", "repeated"]) {
                let labels = #"transmitter="corp",event="session-revoked",result="\#(result)""#
                let line = "gatehouse_security_events_total{\(labels)} 1"
                #expect(try Self.metrics(of: gateway).contains(line))
            }
        }
    }
}
