import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

extension FlowRig {
    /// An app with the verifier of one flow.
    struct App: Sendable {
        static let url = "com.example.app:/callback"
        static let urls = [
            url, "https://app.example/native/callback", "http://127.0.0.1/callback", "http://[::1]/callback",
        ]

        let verifier = RandomText.nonce() + RandomText.nonce()

        var challenge: String {
            (try? AccountDenial.hash(Array(verifier.utf8))).map { Base64URL.encode($0.bytes) } ?? ""
        }

        /// The query of a start.
        func query(purpose: String? = nil, returnTo: String = App.url) -> String {
            "return_to=\(returnTo)&code_challenge=\(challenge)&code_challenge_method=S256"
                + (purpose.map { "&purpose=\($0)" } ?? "")
        }
    }

    static func withApps(
        _ urls: [String] = App.urls, store: (any GatewayStore)? = nil, tokens: TokenSealing? = nil,
        parts change: (inout AccountParts) -> Void = { _ in }
    ) async throws -> FlowRig {
        let apps = try urls.map { try Configuration.AppURL(parsing: $0) }
        return try await FlowRig(store: store, tokens: tokens, settings: { $0.apps = apps }, parts: change)
    }

    /// Opens the start of a flow of an app.
    func begin(
        _ app: App, _ provider: String = "google.com", purpose: String? = nil, returnTo: String = App.url
    ) async throws -> Begun {
        try await begin(provider, query: app.query(purpose: purpose, returnTo: returnTo))
    }

    /// Runs a flow of an app as a user, and returns its code.
    func code(
        of app: App, _ provider: String = "google.com", as user: DevelopmentUser = .ada, purpose: String? = nil
    ) async throws -> String {
        let begun = try await begin(app, provider, purpose: purpose)
        return try code(in: await finish(begun, provider, as: user))
    }

    /// Returns the code in the redirect to the app.
    func code(in answer: CallAnswer) throws -> String {
        let location = try #require(answer.location, "\(answer.code) \(rig.log.text)")
        #expect(location.hasPrefix("\(App.url)?code="), "\(location) \(rig.log.text)")
        #expect(answer.cookie == nil, "the browser gets no session")
        return try #require(Self.parameters(location.drop { $0 != "?" }.dropFirst())["code"])
    }

    /// Presents a code as an app does.
    func redeem(
        _ endpoint: AccountEndpoint, _ code: String, _ verifier: String, _ more: JSONObject = [:],
        by caller: Principal? = nil
    ) async -> CallAnswer {
        var body: JSONObject = ["code": .string(code), "code_verifier": .string(verifier)]
        body.merge(more)
        return await rig.call(endpoint, body, by: caller)
    }

    /// Signs an app in. Returns its user.
    func appSession(_ user: DevelopmentUser = .ada) async throws -> Principal {
        let app = App()
        return try rig.caller(await redeem(.signIn, try await code(of: app, as: user), app.verifier))
    }
}
