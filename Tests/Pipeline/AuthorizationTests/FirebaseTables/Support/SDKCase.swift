import Authorization
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import Authentication
@testable import CoreFixtures

/// The credential of a request, and all inputs of its decision.
struct SDKCase: Sendable, CustomTestStringConvertible {
    enum Signature: Sendable {
        /// Signed by the key that the fixture's header names.
        case right
        /// Signed by another key with the same ID.
        case forged
        /// Unsigned: the token ends with its second dot.
        case absent
    }

    enum Keys: Sendable {
        case fetched
        /// The source never sent a valid response.
        case unavailable
    }

    static let keyID = "mock-key-id-1"

    var testDescription: String { project }

    var draft: TokenDraft
    var kind: CredentialKind = .idToken
    let project: String
    /// The expected issuer. `nil` for Firebase's issuer of the project.
    var issuer: String?
    var now: Int64
    var skew: Int64 = 0
    var tenant: FirebaseVerifier.Tenant = .none
    var emulator = false
    var signature = Signature.right
    /// Changes the finished token.
    var edit: @Sendable (String) -> String = { $0 }
    /// Whether the request has the credential.
    var isSent = true
    var keys = Keys.fetched
    /// The record of the user in the store.
    var user: UserRecord?
    var revocation: RoutePolicy.Revocation = .replicated
    var storeIsLoaded = true

    init(_ claims: [String: String], project: String, now: Int64) {
        draft = TokenDraft(
            header: ["alg": "\"RS256\"", "kid": "\"\(Self.keyID)\"", "typ": "\"JWT\""], claims: claims)
        self.project = project
        self.now = now
    }
}

extension SDKCase {
    var token: String {
        switch signature {
        case .right: edit(draft.signed(by: Self.key))
        case .forged: edit(draft.signed(by: TokenDraft.forgedKey))
        case .absent: edit(draft.unsigned)
        }
    }

    /// The case with a token of the emulator, verified for the emulator.
    mutating func emulate() {
        emulator = true
        draft.header = ["alg": "\"none\"", "typ": "\"JWT\""]
        signature = .absent
    }

    var emulated: SDKCase {
        var copy = self
        copy.emulate()
        return copy
    }

    /// The case with a session cookie.
    mutating func bake() {
        kind = .sessionCookie
        draft.claims["iss"] = "\"https://session.firebase.google.com/\(project)\""
    }

    private static let key: SigningKey = {
        guard let key = try? SigningKey(pem: TokenDraft.key.pem(), algorithm: .rs256, keyID: keyID) else {
            preconditionFailure("libcrypto cannot read its own key")
        }
        return key
    }()
    static let keySet = TokenDraft.keySet([key])
}

/// The initial tokens of the SDKs' tests.
extension SDKCase {
    /// Node.js: claims `one` and `two`, issued at second 1 of the epoch, for an hour.
    static let node = SDKCase(
        [
            "iss": "\"https://securetoken.google.com/project_id\"", "aud": "\"project_id\"", "sub": "\"someUid\"",
            "iat": "1", "auth_time": "1", "exp": "3601", "one": "\"uno\"", "two": "\"dos\"",
        ], project: "project_id", now: 1)

    /// Python with the `auth_time` that Firebase writes. A row removes it.
    static let python = SDKCase(mock, project: "mock-project-id", now: ManualClock.start)

    /// Go, whose skew is fixed at 300 s.
    static let go: SDKCase = {
        var fixture = python
        fixture.skew = 60
        return fixture
    }()

    /// Java: a clock at 2,002,000 s, and an issuer that the test defines.
    static let java: SDKCase = {
        let now: Int64 = 2_002_000
        var fixture = SDKCase(
            [
                "iss": "\"https://test.token.issuer\"", "aud": "\"proj-test-101\"", "sub": "\"someUid\"",
                "iat": "\(now)", "auth_time": "\(now)", "exp": "\(now + 3600)",
            ], project: "proj-test-101", now: now)
        fixture.issuer = "https://test.token.issuer"
        return fixture
    }()

    private static let mock = [
        "iss": "\"https://securetoken.google.com/mock-project-id\"", "aud": "\"mock-project-id\"",
        "sub": "\"1234567890\"", "iat": "\(ManualClock.start - 100)", "auth_time": "\(ManualClock.start - 100)",
        "exp": "\(ManualClock.start + 3600)", "admin": "true", "firebase": #"{"sign_in_provider":"provider"}"#,
    ]

    static let customTokenAudience =
        "\"https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit\""

    /// A token that a service signs for its own users.
    mutating func becomeCustomToken() {
        draft.header["kid"] = nil
        draft.claims = [
            "aud": Self.customTokenAudience, "iss": "\"service@account\"", "sub": "\"service@account\"",
            "uid": "\"someUid\"", "iat": "\(now)", "exp": "\(now + 3600)",
        ]
    }

    /// The format of custom tokens before 2016.
    mutating func becomeLegacyCustomToken() {
        draft.header = ["alg": "\"HS256\"", "typ": "\"JWT\""]
        draft.claims = ["v": "0", "d": #"{"uid":"someUid"}"#, "iat": "\(now)"]
    }
}

extension SDKCase {
    /// The denial of the authenticator, or the decision of the authorizer.
    func code() throws -> DecisionCode {
        guard isSent else { return try decide(nil) }
        let authenticator = try authenticator()
        let outcome = Array(token.utf8).withUnsafeBytes {
            authenticator.authenticate($0, kind: kind, now: now, monotonic: 0, waitingSince: nil)
        }
        return switch outcome {
        case .verified(let entry): try decide(entry)
        case .refused(let failure): failure.code
        case .unavailable, .awaitKeys, .awaitOwner: .keysUnavailable
        }
    }

    private func authenticator() throws -> Authenticator {
        let host = kind == .idToken ? "securetoken.google.com" : "session.firebase.google.com"
        let verifier = FirebaseVerifier(
            kind: kind, issuer: issuer ?? "https://\(host)/\(project)", project: project, tenant: tenant,
            clockSkew: skew, insecureEmulator: emulator, keySet: 0)
        let authenticator = Authenticator(
            verifiers: VerifierTable([.firebase(verifier)]), keySets: 1, hasher: try SHA256Hasher.required(),
            counters: WorkerCounters(routes: 1, upstreams: 1),
            render: { _ in RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false) })
        authenticator.install(view, set: 0)
        return authenticator
    }

    private var view: KeySetView {
        switch keys {
        case .fetched:
            KeySetView(
                keys: Self.keySet, generation: 1, isLoaded: true, lastFetchSucceeded: true, completedFetches: 1,
                usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        case .unavailable: KeySetView(completedFetches: 1, cooldownUntil: .max, nextFetchAt: .max)
        }
    }

    private func decide(_ identity: VerifiedTokenCache.Entry?) throws -> DecisionCode {
        let store = StoreView()
        if storeIsLoaded { store.setAlwaysFresh() } else { store.setStale() }
        if let user, let identity { store.setUser(identity.principal.userKey, to: RecordWord(user)) }
        var policy = RoutePolicy()
        policy.revocation = revocation
        let authorizer = Authorizer(store: store.reader(), clockSkew: skew, maxStaleness: 60)
        let context = DecisionContext(now: now, monotonic: 0, mayWait: false)
        return switch authorizer.decide(policy, identity: identity, in: context, storeFailure: { _ in }) {
        case .permit: .ok
        case .deny(let denial): denial.code
        case .awaitStore, .queryStore, .lookUp: .storeUnavailable
        }
    }
}
