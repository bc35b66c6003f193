import Authentication
import JOSE

/// A provider's word that a user's session there has ended (OpenID Connect Back-Channel Logout 1.0).
enum LogoutToken {
    /// The event, by its name: `http`, not `https`.
    static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// As the log has it.
    static let name = "logout"

    /// What the token does, after the checks of section 2.6 that are a logout token's own.
    static func effect(of event: VerifiedEvent, now: Int64) throws(AccountDenial) -> EventEffect {
        let claims = event.signed.claims
        guard claims["events"]?[Self.event]?.kind == .object else { throw .event("no back-channel logout event") }
        guard claims["nonce"] == nil else { throw .event("a nonce, which logout tokens have not") }
        if let session = claims["sid"], session.kind != .string { throw .event("sid is not a text") }
        guard claims["sub"] != nil else { throw withoutSubject(claims) }
        do throws(VerificationFailure) {
            return EventEffect(try event.signed.subject(in: claims), at: event.signed.issuedAt, now: now)
        } catch {
            throw AccountDenial(event: error)
        }
    }

    private static func withoutSubject(_ claims: JSONValue) -> AccountDenial {
        guard claims["sid"] != nil else { return .event("neither sub nor sid") }
        return .event(
            "sid without sub",
            detail:
                "Name the user in sub: this service does not keep the provider's session ids, so sid alone names nobody."
        )
    }

    /// Refuses a token of a provider whose `sub` is another one for each application, where it does not name the user otherwise.
    static func checkNamesUser(_ claims: JSONValue, _ verifier: ProviderVerifier) throws(AccountDenial) {
        guard verifier.rules.subjectClaim != "sub", claims["oid"] == nil || claims["tid"] == nil else { return }
        throw .event(
            "sub without oid and tid",
            detail: "Name the user in oid and tid: sub is another one for each application, so it names nobody here.")
    }
}
