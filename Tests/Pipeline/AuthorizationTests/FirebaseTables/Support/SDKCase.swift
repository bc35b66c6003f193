import Authentication
import Authorization
import JOSE
import Revocation

@testable import CoreFixtures

/// A request's credential, and all that decides about it.
struct SDKCase: Sendable {
    enum Signature: Sendable {
        /// Of the key that the fixture's header names.
        case right
        /// Of another key under the same id.
        case forged
        /// None: the token ends with its second dot.
        case absent
    }

    enum Keys: Sendable {
        case fetched
        /// The source never answered well.
        case unavailable
    }

    static let keyID = "mock-key-id-1"

    var draft: TokenDraft
    var kind: CredentialKind = .idToken
    let project: String
    /// Nil: Firebase's, of the project.
    var issuer: String?
    var now: Int64
    var skew: Int64 = 0
    var tenant: FirebaseVerifier.Tenant = .none
    var emulator = false
    var signature = Signature.right
    /// Changes the finished token.
    var edit: @Sendable (String) -> String = { $0 }
    /// Whether the request carries the credential at all.
    var isSent = true
    var keys = Keys.fetched
    /// What the store knows of the user.
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

    /// As an emulator's token, verified for the emulator.
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

    /// As a session cookie.
    mutating func bake() {
        kind = .sessionCookie
        draft.claims["iss"] = "\"https://session.firebase.google.com/\(project)\""
    }

    private static let key: SigningKey = {
        guard let key = try? SigningKey(pem: TokenDraft.key.pem(), algorithm: .rs256, keyID: keyID) else {
            preconditionFailure("libcrypto does not read its own key")
        }
        return key
    }()
    static let keySet = TokenDraft.keySet([key])
}
