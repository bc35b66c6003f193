import Authentication
import GatewayCore
import JOSE
import Revocation

/// The contents of a session.
struct SessionSource: Sendable {
    let user: UserKey
    /// The claims of the credential that started it, as kept by `SourceClaims`.
    let claims: JSONDocument
    /// The account's links, name and address, if present.
    var account: AccountRecord
    /// When the user signed in. Without a sign-in, checks for a recent one fail.
    let signIn: SignInProof
    /// The origin and the start, in the store's order.
    let origin: SessionOrigin
    let started: UnixTime
    /// Whether the user has a Firebase account, whose status applies too. True for all accounts that the gateway did
    /// not create.
    var isFirebase = false
}

extension SessionSource {
    /// Returns the claims of a session cookie.
    func claims(_ session: Session, issuer: String) -> [UInt8] {
        var text = ObjectText()
        let profile = SessionProfile(account)
        let hasName = claims.root["name"]?.string != nil || account.chosen.contains(.name)
        for (name, value) in claims.root.members
        where !isReplaced(name, hasName: hasName) && !profile.replaces(name, of: claims.root) { text.add(name, value) }
        if !hasName, let name = account.name { text.add("name", name) }
        profile.write(to: &text)
        for name in ["iss", "aud"] { text.add(name, issuer) }
        for name in ["sub", "user_id"] { text.add(name, user.uid) }
        text.add("iat", session.issuedAt)
        text.add("exp", session.expiresAt)
        text.add("sid", session.name)
        if let latest = signIn.latest(now: session.issuedAt.seconds) { text.add("auth_time", latest.time) }
        text.add("firebase", json: firebase)
        return text.bytes
    }

    var header: SessionHeader {
        SessionHeader(
            user: user, isFirebase: isFirebase || evidence != nil, origin: origin, started: started,
            authenticatedAt: signIn.authenticatedAt, evidence: evidence)
    }

    /// The reason for the link of the identity that starts the session, if it is from Firebase.
    private var evidence: FirebaseEvidence? { origin.link.flatMap { account.evidence(of: $0) } }

    private func isReplaced(_ name: String, hasName: Bool) -> Bool {
        name.utf8.elementsEqual("firebase".utf8) || (!hasName && name.utf8.elementsEqual("name".utf8))
    }

    /// The `firebase` claim of the source, with all identities of the account.
    private var firebase: [UInt8] {
        var text = ObjectText()
        let source = claims.root["firebase"]
        if let source {
            for (name, value) in source.members where !name.utf8.elementsEqual("identities".utf8) {
                text.add(name, value)
            }
        }
        if let tenant = user.tenant, source?["tenant"] == nil { text.add("tenant", tenant) }
        text.add("identities", json: identities(source?["identities"]))
        return text.bytes
    }

    private func identities(_ claimed: JSONValue?) -> [UInt8] {
        var text = ObjectText()
        let profile = SessionProfile(account)
        if let claimed {
            for (name, value) in claimed.members where profile.email == nil || !name.isExactly("email") {
                text.add(name, value)
            }
        }
        for (provider, subject) in account.links.sorted(by: { $0.key < $1.key }) where claimed?[provider] == nil {
            text.add(provider, [IdentityLink(provider: provider, subject: subject).federatedID])
        }
        if claimed?["email"] == nil || profile.email != nil, let email = account.email { text.add("email", [email]) }
        return text.bytes
    }
}

/// A gateway session.
struct Session: Sendable {
    /// The session's name in the store and in the cookie's `sid`.
    let name: String
    /// When its current cookie was issued, and when that cookie expires.
    let issuedAt: UnixTime
    let expiresAt: UnixTime
    /// When the session ends. Later cookies of the session expire then at the latest.
    let endsAt: UnixTime
}

/// The facts of a session in the protected header of its cookies.
struct SessionHeader {
    let user: UserKey
    let isFirebase: Bool
    let origin: SessionOrigin
    var started: UnixTime
    var authenticatedAt: UnixTime?
    /// The reason for the link of the identity that started the session, if it is from Firebase.
    let evidence: FirebaseEvidence?

    /// Returns the member of the header.
    func text(of session: Session) -> [UInt8] {
        var text = ObjectText()
        origin.write(to: &text)
        if isFirebase { text.add(SessionVerifier.firebaseMember, true) }
        text.add(SessionVerifier.evidenceMember, evidence?.text)
        if let project = user.project { text.add(SessionVerifier.projectMember, project) }
        if let tenant = user.tenant { text.add(SessionVerifier.tenantMember, tenant) }
        text.add(SessionVerifier.startMember, started)
        if let authenticatedAt { text.add(SessionVerifier.authenticationMember, authenticatedAt) }
        if session.expiresAt < session.endsAt { text.add(SessionVerifier.endMember, session.endsAt) }
        return text.bytes
    }
}

extension SessionHeader {
    /// Creates the header of a cookie that was verified. `nil` if the credential is no session cookie of the gateway.
    init?(_ principal: Principal) {
        guard let origin = principal.origin, let started = principal.startedAt else { return nil }
        self.init(
            user: principal.user, isFirebase: principal.facts.isFirebase, origin: origin, started: started,
            authenticatedAt: principal.facts.authenticatedAt.known, evidence: principal.sessionEvidence)
    }
}

/// The claims of a credential that are carried over into tokens of the gateway.
enum SourceClaims {
    /// Claims that concern the credential itself, or are written again.
    private static let dropped = [
        "iss", "aud", "azp", "nonce", "at_hash", "c_hash", "s_hash", "exp", "iat", "nbf", "jti", "sub", "user_id",
        "auth_time", "sid",
    ]
    /// The value that records a second factor which the provider's own claims state in another form (RFC 8176 section
    /// 2).
    private static let secondFactor = "mfa"
    private static let factorMember = "sign_in_second_factor"

    /// The limits of the kept claims.
    static let limits = JSONLimits(
        size: 2 * JSONLimits.token.size, depth: JSONLimits.token.depth + 8, members: JSONLimits.token.members + 64)

    static func of(_ principal: Principal) throws(AccountDenial) -> JSONDocument {
        var text = ObjectText()
        for (name, value) in principal.claims.root.members where !isDropped(name) {
            if name.utf8.elementsEqual("firebase".utf8) {
                text.add(name, json: firebase(value, hasSecondFactor: principal.hasSecondFactor))
            } else {
                text.add(name, value)
            }
        }
        guard let document = try? JSONDocument(text.bytes, limits: limits) else {
            throw .credential("the claims exceed the size limit")
        }
        return document
    }

    private static func isDropped(_ name: String) -> Bool {
        dropped.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    private static func firebase(_ value: JSONValue, hasSecondFactor: Bool) -> [UInt8] {
        guard hasSecondFactor, value[factorMember] == nil else { return value.compact }
        var text = ObjectText()
        for (name, value) in value.members { text.add(name, value) }
        text.add(factorMember, secondFactor)
        return text.bytes
    }
}
