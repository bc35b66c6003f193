package import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE

/// Verifies the tokens of events, by the verifiers of the providers' ID tokens, waiting for keys with a bound.
package struct EventVerifier: Sendable {
    private let verifiers: VerifierTable
    private let keys: any KeyWaiting
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - keys: of the sets that `verifiers` number.
    ///   - now: seconds since 1970.
    package init(verifiers: VerifierTable, keys: any KeyWaiting, now: @escaping @Sendable () -> Int64) {
        self.verifiers = verifiers
        self.keys = keys
        self.now = now
    }

    /// - Parameters:
    ///   - form: what kind of event it has to be.
    ///   - provider: whose it has to be; nil: any provider's.
    func verify(
        _ text: String, as form: EventForm, of provider: Configuration.Provider.Kind? = nil
    ) async throws(Refusal) -> VerifiedEvent {
        guard let token = try? UnverifiedJWS(text) else {
            throw .event(VerificationFailure.Reason.notCompactJWS.rawValue)
        }
        let verifier = try verifier(of: token, provider)
        let kid = try checkBeforeSignature(token, by: verifier, form)
        switch await keys.key(kid: kid, set: verifier.keySet) {
        case .key(let key, let view): return try judge(token, by: verifier, key, view, form)
        case .unknown: throw .event(VerificationFailure.Reason.unknownKey.rawValue)
        case .unavailable(let retryAfter):
            throw Refusal(Denial(.keysUnavailable, retryAfter: retryAfter), reason: "the provider's keys")
        }
    }

    private func verifier(
        of token: UnverifiedJWS, _ provider: Configuration.Provider.Kind?
    ) throws(Refusal) -> ProviderVerifier {
        do throws(VerificationFailure) {
            let index = try verifiers.index(for: token, .idToken)
            guard case .provider(let verifier) = verifiers.verifiers[index],
                provider.map({ verifier.id.utf8.elementsEqual($0.rawValue.utf8) }) ?? true
            else { throw VerificationFailure(code: .invalidIDToken, reason: .issuer) }
            return verifier
        } catch {
            throw Refusal(event: error)
        }
    }

    private func checkBeforeSignature(
        _ token: UnverifiedJWS, by verifier: ProviderVerifier, _ form: EventForm
    ) throws(Refusal) -> String {
        if form == .logoutToken { try LogoutToken.checkNamesUser(token.payload.root, verifier) }
        do throws(VerificationFailure) {
            return try verifier.checkEventBeforeSignature(token, type: form.type, keys.view(of: verifier.keySet))
        } catch {
            throw Refusal(event: error)
        }
    }

    private func judge(
        _ token: UnverifiedJWS, by verifier: ProviderVerifier, _ key: PublicKey, _ view: KeySetView, _ form: EventForm
    ) throws(Refusal) -> VerifiedEvent {
        // Waiting for the key took its time.
        let now = now()
        let signed: SignedEvent
        do throws(VerificationFailure) {
            signed = try verifier.verifyEvent(token, key: key, view, now: now)
        } catch {
            throw Refusal(event: error)
        }
        return try VerifiedEvent(signed, form: form, now: now)
    }
}
