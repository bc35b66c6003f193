import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// An app whose user signs in at providers. It calls the gateway's account endpoints and stores its session cookie.
struct AccountApp {
    let scenario: Scenario
    /// The value of the session cookie. `nil` if the user is signed out.
    var session: String?

    init(_ scenario: Scenario) { self.scenario = scenario }

    /// A nonce: its raw value, and its hash for the provider.
    struct Nonce {
        let raw: String
        let hash: String
    }

    // MARK: - Calls

    /// Makes a call with the session, if there is one, and applies the `Set-Cookie` field of the response.
    mutating func call(_ name: String, _ members: JSON? = [:], _ fields: String...) throws -> WireResponse {
        var request = request(name, members)
        request.fields += fields
        let response = try scenario.send(request)
        keepCookie(of: response)
        return response
    }

    /// Returns the request of a call.
    func request(_ name: String, _ members: JSON?) -> WireRequest {
        var request = WireRequest.post("/.gatehouse/\(name)", body: members.map { Array($0.text.utf8) } ?? [])
        if members != nil { request.fields.append("Content-Type: application/json") }
        if let session { request.fields.append("Cookie: __session=\(session)") }
        return request
    }

    mutating func keepCookie(of response: WireResponse) {
        guard let line = response["Set-Cookie"], line.hasPrefix("__session=") else { return }
        let value = line.dropFirst("__session=".count).prefix { $0 != ";" }
        session = value.isEmpty ? nil : String(value)
    }

    /// Returns a request with the session cookie.
    func get(_ target: String) throws -> WireResponse {
        try scenario.send(session.map { .cookie($0, target) } ?? .get(target))
    }

    func nonce(for purpose: String? = nil) throws -> Nonce {
        var app = self
        let members: JSON? = purpose.map { ["purpose": .string($0)] }
        let answer = JSON(parsing: try app.call("nonce", members).body)
        return Nonce(
            raw: try #require(answer?["nonce"]?.stringValue), hash: try #require(answer?["nonce_sha256"]?.stringValue))
    }

    // MARK: - Providers

    /// Returns an ID token that the provider issues for the hash of a nonce.
    func idToken(
        _ provider: IdentityProvider = .apple, of user: DevelopmentUser = .alan, _ nonce: Nonce?,
        _ change: (ProviderToken) -> ProviderToken = { $0 }
    ) throws -> String {
        let identity = scenario.provider
        return try identity.sign(change(identity.idToken(of: provider, for: user, nonce: nonce?.hash)))
    }

    /// Returns the members of a call that presents a recent sign-in at a provider.
    func proof(
        _ provider: IdentityProvider = .apple, of user: DevelopmentUser = .alan,
        _ change: (ProviderToken) -> ProviderToken = { $0 }
    ) throws -> JSON {
        let nonce = try nonce()
        return [
            "provider": .string(provider.id), "nonce": .string(nonce.raw),
            "id_token": .string(try idToken(provider, of: user, nonce, change)),
        ]
    }

    /// Returns the members of such a call for a provider with opaque tokens.
    func gitHubProof(of user: DevelopmentUser = .linus) throws -> JSON {
        let token = OpaqueToken.gitHub(for: user, now: scenario.provider.now)
        try scenario.provider.add(token)
        return ["provider": "github.com", "access_token": .string(token.text)]
    }

    /// Signs in at a provider and then at the gateway. Both sign-ins must succeed.
    ///
    /// - Returns: The response.
    @discardableResult
    mutating func signIn(
        _ provider: IdentityProvider = .apple, as user: DevelopmentUser = .alan,
        _ change: (ProviderToken) -> ProviderToken = { $0 }, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        let response = try call("sign-in", try proof(provider, of: user, change))
        #expect(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
        return try #require(JSON(parsing: response.body), sourceLocation: sourceLocation)
    }
}

extension JSON {
    var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// Returns the object with one member added or replaced.
    func with(_ name: String, _ value: JSON) -> JSON {
        guard case .object(var object) = self else { return self }
        object[name] = value
        return .object(object)
    }
}

extension WireResponse {
    var json: JSON? { JSON(parsing: body) }
}

extension Scenario {
    /// A gateway with accounts that accepts the tokens of every provider.
    static func withAccounts(
        _ accounts: String = "{}", arrange: (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (Scenario) async throws -> Void
    ) async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identifyAll(provider)
            configuration["accounts"] = accounts
            arrange(&configuration)
        }) { try await body($0) }
    }
}

extension Trait where Self == SharedScenarioTrait {
    /// One gateway with accounts for the whole suite, which accepts the tokens of every provider.
    ///
    /// Each test has its own users.
    static var accounts: Self {
        SharedScenarioTrait { provider, configuration in
            configuration.identifyAll(provider)
            configuration["accounts"] = "{ calls_per_address: 100000, calls_per_account: 100000 }"
        }
    }
}

extension Fleet {
    /// Two gateways with accounts and one Redis, which accept the tokens of every provider.
    ///
    /// - Parameters:
    ///   - more: Returns further keys of `accounts` in YAML, after a comma.
    ///   - arrange: Changes the rest of the configuration.
    static func withAccounts(
        _ more: (DevelopmentProvider) -> String = { _ in "" },
        arrange: (DevelopmentProvider, inout GatewayConfiguration) throws -> Void = { _, _ in },
        _ body: (Fleet, RedisServer) async throws -> Void
    ) async throws {
        let redis = try await RedisServer()
        let folder = try ScratchFolder()
        let key = folder.path("session.pem")
        try Data(SigningKey.generate(.es256, keyID: "").pem()).write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try await Fleet.run(
            2, store: redis.store,
            arrangeWith: { provider, configuration in
                configuration.identifyAll(provider)
                configuration["accounts"] =
                    "{ session_key: '\(key)', calls_per_address: 100000, calls_per_account: 100000\(more(provider)) }"
                try arrange(provider, &configuration)
            }
        ) { try await body($0, redis) }
        withExtendedLifetime(folder) {}
    }
}
