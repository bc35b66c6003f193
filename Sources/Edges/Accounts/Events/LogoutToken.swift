import Authentication
import JOSE

/// A notification that a user's session at a provider has ended (OpenID Connect Back-Channel Logout 1.0).
enum LogoutToken {
    /// The name of the event: `http`, not `https`.
    static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// The name in the log.
    static let name = "logout"

    /// Returns the effect of a token, after the specific checks of section 2.6.
    static func effect(of event: VerifiedEvent, now: Int64) throws(AccountDenial) -> EventEffect {
        let claims = event.signed.claims
        guard claims["events"]?[Self.event]?.kind == .object else { throw .event("no back-channel logout event") }
        guard claims["nonce"] == nil else { throw .event("a nonce, which logout tokens must not contain") }
        if let session = claims["sid"], session.kind != .string { throw .event("sid is not a string") }
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
                "Identify the user in sub. This service does not store the provider's session IDs, so sid is not sufficient."
        )
    }

    /// Rejects a token whose `sub` differs between applications, unless it identifies the user by `oid` and `tid`.
    static func checkNamesUser(_ claims: JSONValue, _ verifier: ProviderVerifier) throws(AccountDenial) {
        guard verifier.rules.subjectClaim != "sub", claims["oid"] == nil || claims["tid"] == nil else { return }
        throw .event(
            "sub without oid and tid",
            detail:
                "Identify the user in oid and tid. sub differs between applications and does not identify the user here."
        )
    }
}
