import DevelopmentIdentity
import Foundation
import IdentityFixtures
import JOSE
import Testing

@testable import SystemFixtures

/// Several issuers: the keys, outages and invalid documents of one affect only its own tokens.
struct SeveralIssuersTests {
    @Test func `F-12: one key id at several issuers names several keys`() async throws {
        let keys = try (0..<3).map { _ in try SigningKey.generate(.rs256, keyID: "same") }
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(provider, [provider.entry(.apple), provider.entry(.oidc("corp"))])
            try provider.updateKeys(of: .apple) { $0 = [PublishedKey(keys[0])] }
            try provider.updateKeys(of: .oidc("corp")) { $0 = [PublishedKey(keys[1])] }
            provider.updateKeys { $0.add(keys[2], for: .idToken) }
        }) { scenario in
            let provider = scenario.provider
            // The second round uses cached results.
            for _ in 0..<2 {
                for (place, key) in keys.enumerated() {
                    let tokens = try [
                        provider.idToken(of: .apple).signed(by: key),
                        provider.idToken(of: .oidc("corp")).signed(by: key), provider.idToken().signed(by: key),
                    ]
                    for (issuer, token) in tokens.enumerated() {
                        let response = try scenario.send(.bearer(token, "/me/f12"))
                        #expect(response.status == (place == issuer ? 200 : 401), "\(place) \(issuer) \(response.text)")
                    }
                }
            }
        }
    }

    /// Both entries read the keys of Yahoo: an RSA key and an elliptic curve key.
    @Test func `F-13: a shared key set is used by the rules of each issuer`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            let rsa =
                "oidc.rsa: { issuer: 'https://rsa.example', audiences: [gatehouse], algorithms: [RS256], KEYS }"
            configuration.identify(
                provider,
                [provider.entry(.yahoo), rsa.replacing("KEYS", with: "keys_url: '\(provider.url(.keys(.yahoo)))'")])
        }) { scenario in
            let provider = scenario.provider
            let keys = try provider.keys(of: .yahoo).map(\.key)
            let other = provider.idToken(of: .oidc("rsa")).setting("iss", to: "https://rsa.example")
            for _ in 0..<2 {
                for (place, key) in keys.enumerated() {
                    let tokens = try [other.signed(by: key), provider.idToken(of: .yahoo).signed(by: key)]
                    for (issuer, token) in tokens.enumerated() {
                        let response = try scenario.send(.bearer(token, "/me/f13"))
                        #expect(response.status == (place == issuer ? 200 : 401), "\(place) \(issuer) \(response.text)")
                    }
                }
            }
        }
    }

    /// `PORT` is a server of the test that would serve matching keys.
    static let addresses = [
        "http://127.0.0.1:PORT/oidc/evil", "http://127.0.0.1:PORT/oidc/corp/../evil",
        "http://127.0.0.1:PORT/oidc/corp?x",
        "http://127.0.0.1:PORT/oidc/corp#x", "http://127.0.0.1:PORT/oidc/corp@127.0.0.1:PORT/oidc/evil",
        "http://x@127.0.0.1:PORT/oidc/corp", "http://localhost:PORT/oidc/corp", "http://127.1:PORT/oidc/corp",
        "HTTP://127.0.0.1:PORT/oidc/corp", "http://169.254.169.254/", "file:///etc/passwd",
        "//127.0.0.1:PORT/oidc/corp",
        "http://127.0.0.1:PORT/oidc/corp%2f", "",
    ]

    private static let tenants = [
        "evil@127.0.0.1:PORT", "../../oidc/evil", "x/y", "{tenantid}", "%2e%2e", "http://127.0.0.1:PORT/", "common",
    ]

    @Test func `F-14: no URL in a token is fetched`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(
                provider, [provider.entry(.oidc("corp")), provider.entry(.microsoft), provider.introspectionEntry()])
        }) { scenario in
            let provider = scenario.provider
            _ = try provider.keys(of: .oidc("evil"))
            let calls = provider.received.count
            let port = "\(provider.port)"
            for address in Self.addresses {
                let url = JSON.string(address.replacing("PORT", with: port))
                let token = provider.idToken(of: .oidc("evil")).setting("iss", to: url)
                let tokens = [token, token.settingHeader("jku", to: url).settingHeader("x5u", to: url)]
                for token in tokens {
                    let (response, count) = try scenario.forwarded {
                        try scenario.send(.bearer(provider.sign(token), "/me/f14"))
                    }
                    expectDenial(response, 401, "auth/invalid-id-token", address)
                    #expect(count == 0)
                }
            }
            for tenant in Self.tenants {
                let token = provider.idToken(of: .microsoft).inTenant(tenant.replacing("PORT", with: port))
                try scenario.expectRefusal(
                    .bearer(provider.sign(token), "/me/f14"), 401, "auth/invalid-id-token", tenant)
            }
            #expect(provider.received.count == calls && scenario.echo.requestCount == 0)
        }
    }

    struct InvalidDocument: Sendable {
        let name: String
        /// The error in the admin API.
        let error: String
        var detail = ""
        let change: @Sendable (inout JSONObject) -> Void
    }

    private static let notADocument = "not_a_discovery_document"

    static let invalidDocuments: [InvalidDocument] = [
        InvalidDocument(name: "other", error: "issuer_mismatch") { document in
            document["issuer"] = "https://id.evil.example"
        },
        InvalidDocument(name: "slash", error: "issuer_mismatch", detail: "they differ only by a trailing slash") {
            document in
            if case .string(let issuer)? = document["issuer"] { document["issuer"] = .string(issuer + "/") }
        },
        InvalidDocument(name: "relative", error: notADocument) { document in
            document["jwks_uri"] = "/oidc/relative/jwks"
        },
        InvalidDocument(name: "plain", error: notADocument, detail: "jwks_uri") { document in
            document["jwks_uri"] = "http://192.0.2.1/jwks"
        },
        InvalidDocument(name: "algorithms", error: notADocument) { document in
            document["id_token_signing_alg_values_supported"] = "RS256"
        },
    ]

    @Test func `F-16 F-24: an invalid discovery document affects only the tokens of its issuer`() async throws {
        try await Scenario.run(
            waits: false,
            arrange: { provider, _, configuration in
                let issuers = Self.invalidDocuments.map { IdentityProvider.oidc($0.name) }
                for (issuer, row) in zip(issuers, Self.invalidDocuments) {
                    _ = try provider.keys(of: issuer)
                    provider.updateDiscovery(of: issuer) { row.change(&$0) }
                }
                configuration.identify(
                    provider, (issuers + [.apple, .oidc("corp")]).map(provider.entry))
            }
        ) { scenario in
            let provider = scenario.provider
            let honest = try [
                scenario.token(), provider.sign(provider.idToken(of: .apple)),
                provider.sign(provider.idToken(of: .oidc("corp"))),
            ]
            for token in honest { #expect(try scenario.send(.bearer(token, "/me/honest")).status == 200) }
            let clients = try Self.invalidDocuments.map { row in
                let client = try scenario.connect()
                let token = try provider.sign(provider.idToken(of: .oidc(row.name)))
                try client.send(WireRequest.bearer(token, "/me/f16").bytes)
                return client
            }
            for (row, client) in zip(Self.invalidDocuments, clients) {
                expectDenial(try client.response(), 503, "auth/keys-unavailable", row.name)
            }
            let readiness = try scenario.gateway.readiness()
            #expect(readiness.status == 503)
            let sets = JSON(parsing: try scenario.admin("GET", "/v1/keys").body)?["key_sets"]
            for row in Self.invalidDocuments {
                let set = Self.set(of: "/oidc/\(row.name)/", in: sets)
                let error = set?["last_error"]?.text ?? ""
                #expect(error.contains(row.error), "\(row.name): \(error)")
                #expect(row.detail.isEmpty || error.contains(row.detail), "\(row.name): \(error)")
                #expect(readiness.text.contains("/oidc/\(row.name)/"), "\(row.name)")
            }
            #expect(Self.set(of: "/oidc/corp/", in: sets)?["last_error"] == .null)
            // The URL in an invalid document was not fetched.
            #expect(provider.calls(to: .keys(.oidc("relative"))) == 0)
            // A valid document ends the failure.
            for row in Self.invalidDocuments {
                provider.updateDiscovery(of: .oidc(row.name)) { document in
                    document["issuer"] = .string(provider.issuer(of: .oidc(row.name)))
                    document["jwks_uri"] = .string(provider.url(.keys(.oidc(row.name))))
                    document["id_token_signing_alg_values_supported"] = ["RS256"]
                }
            }
            try scenario.admin("POST", "/v1/keys/refresh")
            try await scenario.gateway.ready()
            for row in Self.invalidDocuments {
                let token = try provider.sign(provider.idToken(of: .oidc(row.name)))
                let report = try scenario.passes(.bearer(token, "/me/f16"))
                #expect(report["X-Auth-Uid"] == "oidc.\(row.name):ada")
            }
        }
    }

    /// The state of the key set whose URL contains the text.
    private static func set(of part: String, in sets: JSON?) -> JSON? {
        guard case .array(let sets)? = sets else { return nil }
        return sets.first { $0["url"]?.text.contains(part) == true }
    }

    @Test func `F-16: a document that becomes invalid changes no keys`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(provider, [provider.entry(.oidc("corp")), provider.entry(.oidc("evil"))])
        }) { scenario in
            let provider = scenario.provider
            let good = try provider.sign(provider.idToken(of: .oidc("corp")))
            #expect(try scenario.send(.bearer(good, "/me/x")).status == 200)
            let evilKeys = JSON.string(provider.url(.keys(.oidc("evil"))))
            // Keys of another issuer, published as ours.
            provider.updateDiscovery(of: .oidc("corp")) { document in
                document["issuer"] = .string(provider.issuer(of: .oidc("evil")))
                document["jwks_uri"] = evilKeys
            }
            try scenario.admin("POST", "/v1/keys/refresh")
            let forged = try provider.idToken(of: .oidc("corp")).signed(by: provider.signer(of: .oidc("evil")))
            let response = try scenario.send(.bearer(forged, "/me/x"))
            #expect(response.status == 401 || response.status == 503, "\(response.text)")
            #expect(try scenario.send(.bearer(good, "/me/x")).status == 200)
        }
    }

    /// `none` and HMAC algorithms are never accepted, even if the document lists them.
    @Test func `F-16: a document cannot allow unsigned tokens`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(provider, [provider.entry(.oidc("corp"))])
            provider.updateDiscovery(of: .oidc("corp")) {
                $0["id_token_signing_alg_values_supported"] = ["none", "HS256", "RS256"]
            }
        }) { scenario in
            let provider = scenario.provider
            let draft = provider.idToken(of: .oidc("corp"))
            let keys = try RawClient.exchange(
                provider.port, .get(DevelopmentProvider.Endpoint.keys(.oidc("corp")).rawValue))
            let kid = try JSON.string(provider.signer(of: .oidc("corp")).keyID)
            let tokens = try [
                draft.settingHeader("kid", to: kid).unsigned(),
                draft.settingHeader("kid", to: kid).signed(secret: keys.body),
            ]
            for token in tokens { try scenario.expectRefusal(.bearer(token, "/me/x"), 401, "auth/invalid-id-token") }
            _ = try scenario.passes(.bearer(provider.sign(draft), "/me/x"))
        }
    }

    @Test func `F-07 F-08: an unavailable key source affects only its own tokens`() async throws {
        try await Scenario.run(
            waits: false,
            arrange: { provider, _, configuration in
                configuration.identify(
                    provider, [.apple, .google, .oidc("corp")].map(provider.entry) + [provider.introspectionEntry()])
                provider.misbehave(.drop, at: .keys(.apple))
                provider.misbehave(.status(500), at: .discovery(.oidc("corp")))
            }
        ) { scenario in
            let provider = scenario.provider
            let down = try [IdentityProvider.apple, .oidc("corp")].map { try provider.sign(provider.idToken(of: $0)) }
            let up = try [
                scenario.token(), provider.sign(provider.idToken(of: .google)), scenario.opaque(.grace).text,
            ]
            for token in up { #expect(try scenario.send(.bearer(token, "/me/x")).status == 200) }
            for token in down {
                try scenario.expectRefusal(.bearer(token, "/me/x"), 503, "auth/keys-unavailable")
                // A malformed token is rejected without keys.
                try scenario.expectRefusal(
                    .bearer(Tampering.signatureRemoved.applied(to: token) + "%", "/me/x"), 401, "auth/argument-error")
            }
            for token in up { #expect(try scenario.send(.bearer(token, "/me/x")).status == 200) }
            let readiness = try scenario.gateway.readiness()
            #expect(readiness.status == 503)
            for part in ["/apple/auth/keys", "/oidc/corp/"] { #expect(readiness.text.contains(part)) }
            // It recovers without an admin call.
            provider.misbehave(nil, at: .keys(.apple))
            provider.misbehave(nil, at: .discovery(.oidc("corp")))
            for token in down {
                _ = try await eventually("the keys") {
                    try scenario.send(.bearer(token, "/me/x")).status == 200 ? true : nil
                }
            }
            try await scenario.gateway.ready()
        }
    }

    @Test func `F-11: a removed key of one issuer ends only the tokens of that issuer`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(provider, [.apple, .google].map(provider.entry))
        }) { scenario in
            let provider = scenario.provider
            let apple = try provider.sign(provider.idToken(of: .apple))
            let google = try provider.sign(provider.idToken(of: .google))
            for token in [apple, google] { #expect(try scenario.send(.bearer(token, "/me/x")).status == 200) }
            try provider.rotateKeys(of: .apple)
            try provider.updateKeys(of: .apple) { $0.removeFirst() }
            try scenario.admin("POST", "/v1/keys/refresh")
            try scenario.expectRefusal(.bearer(apple, "/me/x"), 401, "auth/invalid-id-token")
            #expect(try scenario.send(.bearer(google, "/me/x")).status == 200)
            let fresh = try provider.sign(provider.idToken(of: .apple))
            #expect(try scenario.send(.bearer(fresh, "/me/x")).status == 200)
        }
    }
}
