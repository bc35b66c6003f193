import Authentication
import GatewayCore
import JOSE
import Revocation

/// What a session is made of.
struct SessionSource: Sendable {
    let user: UserKey
    /// The claims of the credential that began it, as `SourceClaims` keeps them.
    let claims: JSONDocument
    /// The account's links, name and address, as far as there are any.
    let account: AccountRecord
    /// When the user proved who they are; without a proof nothing that asks for a recent sign-in passes.
    let signIn: SignInProof
    /// What began it, and when, in the order of the store.
    let origin: SessionOrigin
    let started: UnixTime
    /// Whether Firebase keeps an account for the user, and may say that it counts no more: for all that were not made here, as on requests.
    var isFirebase = false
}

extension SessionSource {
    /// The claims of a session cookie.
    func claims(_ session: Session, issuer: String) -> [UInt8] {
        var text = ObjectText()
        let hasName = claims.root["name"]?.string != nil
        for (name, value) in claims.root.members where !isReplaced(name, hasName: hasName) { text.add(name, value) }
        if !hasName, let name = account.name { text.add("name", name) }
        for name in ["iss", "aud"] { text.add(name, issuer) }
        for name in ["sub", "user_id"] { text.add(name, user.uid) }
        text.add("iat", session.issuedAt)
        text.add("exp", session.expiresAt)
        text.add("sid", session.name)
        if let latest = signIn.latest(now: session.issuedAt.seconds) { text.add("auth_time", latest.time) }
        text.add("firebase", json: firebase)
        return text.bytes
    }

    /// The member of the cookie's header that tells what began it.
    var header: [UInt8] {
        var text = ObjectText()
        origin.write(to: &text)
        if isFirebase { text.add(SessionVerifier.firebaseMember, true) }
        text.add(SessionVerifier.startMember, started)
        if let time = signIn.authenticatedAt { text.add(SessionVerifier.authenticationMember, time) }
        return text.bytes
    }

    private func isReplaced(_ name: String, hasName: Bool) -> Bool {
        name.utf8.elementsEqual("firebase".utf8) || (!hasName && name.utf8.elementsEqual("name".utf8))
    }

    /// The source's own, with all of the account's identities.
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

    private func identities(_ told: JSONValue?) -> [UInt8] {
        var text = ObjectText()
        if let told {
            for (name, value) in told.members { text.add(name, value) }
        }
        for (provider, subject) in account.links.sorted(by: { $0.key < $1.key }) where told?[provider] == nil {
            text.add(provider, [IdentityLink(provider: provider, subject: subject).federatedID])
        }
        if told?["email"] == nil, let email = account.email { text.add("email", [email]) }
        return text.bytes
    }
}

/// A session of ours.
struct Session: Sendable {
    /// How the store and the cookie's `sid` name it.
    let name: String
    let issuedAt: UnixTime
    let expiresAt: UnixTime
}
