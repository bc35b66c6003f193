import Authentication
import GatewayCore
import JOSE
import Revocation

extension AccountCall {
    /// Who calls.
    func requiredCaller() throws(Refusal) -> Principal {
        guard let caller else { throw Refusal(.missingCredential) }
        return caller.principal
    }

    /// Who calls, where it is somebody with an account or a session: one who only has a provider's token has nothing that could be changed.
    func accountHolder() throws(Refusal) -> Principal {
        let caller = try requiredCaller()
        guard !caller.isDerived else {
            throw Refusal(.operationNotAllowed, detail: "Sign in first: a provider's token alone is no account.")
        }
        return caller
    }
}

extension Principal {
    /// Whether it is a provider's own token whose identity belongs to no account.
    var isDerived: Bool { link.map { UserKey($0) == user } ?? false }

    /// What the credential's claims list of a provider's identities; nil: none.
    func identities(at provider: String) -> JSONValue? { identities?[provider] }

    /// The providers, and kinds of contact, that the credential's claims list.
    var identityKinds: [String] { identities?.members.map(\.name) ?? [] }

    private var identities: JSONValue? { claims.root["firebase"]?["identities"] }

    /// When the credential ends, as the store takes it; nil: nobody knows.
    var end: Int64? { expiresAt == .latest ? nil : expiresAt.seconds }

    /// Until when an end of the session has to be remembered. A cookie of ours is the only credential of its session; one that is named by
    /// its sign-in goes on in the tokens that its issuer gives out later, for as long as nobody knows.
    var endedUntil: Int64 {
        let isOurs = kind == .sessionCookie && session.map { claims.root["sid"]?.equals($0) == true } ?? false
        return isOurs ? end ?? StoreBounds.maximumTime : StoreBounds.maximumTime
    }
}
