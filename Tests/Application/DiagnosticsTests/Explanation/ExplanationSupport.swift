import Authentication
import DevelopmentIdentity
import Gatehouse
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation

@testable import CoreFixtures
@testable import Diagnostics
@testable import OutboundHTTP

/// A project, its keys and a fixed time, for explanations without network and files.
enum Given {
    static let now: Int64 = 1_800_000_000
    static let clock = GatewayClock(now: { now }, monotonic: { 1_000_000_000 })

    /// A gateway of the demo's project in front of one upstream.
    static func configuration(_ routes: [Configuration.Route]) -> Configuration {
        var configuration = Configuration()
        configuration.identity.firebase = Configuration.Firebase(project: FirebaseToken.demoProject)
        configuration.upstreams = [.init(name: "api", servers: [.init(host: "127.0.0.1", port: 3000)])]
        configuration.routes = routes
        return configuration
    }

    static func route(_ path: String, _ change: (inout Configuration.Route) -> Void = { _ in }) -> Configuration.Route {
        var route = Configuration.Route(
            path: path, upstream: "api", location: SourceLocation(file: "test.yaml", line: 1, column: 1))
        change(&route)
        return route
    }

    /// A source of the development keys.
    static func keys() throws -> KeyEvidenceSource {
        let keys = try DevelopmentKeys.shared()
        let sets = try DevelopmentKeys.Use.allCases.map { use in
            let text = "{\"keys\":[\(keys[use].map(\.jwk).joined(separator: ","))]}"
            return try FetchedKeySet(KeySet(jwkSet: Array(text.utf8)), maxAge: 0)
        }
        return KeyEvidenceSource { source in
            .fetched(source == .url(Configuration.Firebase.defaultKeysURL) ? sets[0] : sets[1], of: source)
        }
    }

    typealias Change = (FirebaseToken) -> FirebaseToken

    static func idToken(_ user: DevelopmentUser = .ada, _ change: Change = { $0 }) throws -> String {
        try DevelopmentKeys.shared().sign(change(.idToken(for: user, now: now)))
    }

    static func sessionCookie(_ user: DevelopmentUser = .ada, _ change: Change = { $0 }) throws -> String {
        try DevelopmentKeys.shared().sign(change(.sessionCookie(for: user, now: now)))
    }

    static func inspector(
        _ configuration: Configuration? = nil, keys: KeyEvidenceSource? = nil
    ) throws -> TokenInspector {
        let configuration = configuration ?? self.configuration([route("/**")])
        return TokenInspector(try Snapshot(configuration), keys: try keys ?? self.keys(), clock: clock)
    }

    static func explainer(
        _ configuration: Configuration, keys: KeyEvidenceSource? = nil, records: RecordEvidence = .nothingRecorded,
        opaqueTokens: OpaqueEvidenceSource = .none, accounts: AccountEvidenceSource = .none,
        owners: OwnerEvidenceSource = .none
    ) throws -> Explainer {
        try Explainer(
            configuration, keys: try keys ?? self.keys(), records: RecordSource { _, _ in records },
            opaqueTokens: opaqueTokens, accounts: accounts, owners: owners, clock: clock)
    }

    /// Looks up tokens with the responses of `transport`. They are evaluated like in the gateway.
    static func opaqueTokens(_ transport: FakeTransport) -> OpaqueEvidenceSource {
        OpaqueEvidenceSource { token, provider in
            await OpaqueEvidenceSource.judgement(of: token, provider, transport, clockSkew: .seconds(5), clock: clock)
        }
    }
}

extension RecordEvidence {
    static let nothingRecorded = recorded()

    static func recorded(_ user: UserRecord = .init(), _ session: SessionRecord = .init()) -> RecordEvidence {
        .known(user: RecordWord(user), session: RecordWord(session), source: "told by a test")
    }
}

extension FakeTransport {
    /// A transport with one response for all requests.
    static func answering(_ status: Int, _ body: String) -> FakeTransport {
        let transport = FakeTransport()
        transport.always { _ in .success(OutboundResponse(status: status, retryAfter: nil, body: Array(body.utf8))) }
        return transport
    }
}

extension [ExplanationStep] {
    subscript(_ name: String) -> ExplanationStep? { first { $0.name == name } }

    /// The names of the steps that deny.
    var failures: [String] { filter { $0.mark == .failed }.map(\.name) }
}

extension Explanation {
    /// The code of a denial, `ok` for a permit, `nil` for another outcome.
    var code: DecisionCode? {
        forwarded == nil ? refusal?.code : .ok
    }

    var forwarded: Forwarded? { if case .passes(let forwarded) = verdict { forwarded } else { nil } }
    var refusal: Refusal? { if case .refused(let refusal) = verdict { refusal } else { nil } }
    var response: Response? { if case .responded(let response) = verdict { response } else { nil } }

    func step(_ name: String) -> ExplanationStep? { steps[name] }

    var failures: [String] { steps.failures }
}
