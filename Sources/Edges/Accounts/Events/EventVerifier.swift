package import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation

/// The supported forms of events.
enum EventForm: Sendable {
    /// Apple's server-to-server notifications.
    case appleNotification
    /// OpenID Connect Back-Channel Logout 1.0, section 2.4.
    case logoutToken

    /// The accepted `typ` in lower case, in addition to `JWT` and none.
    var type: String {
        switch self {
        case .appleNotification: "secevent+jwt"
        case .logoutToken: "logout+jwt"
        }
    }

    /// The validity of a token without `exp` after its `iat`, in seconds. `nil` if `exp` is required.
    var lifeWithoutExpiry: Int64? {
        switch self {
        case .appleNotification: nil
        // `exp` was added by an erratum and is absent in tokens of older providers.
        case .logoutToken: 600
        }
    }
}

/// A verifier of event tokens. It uses the verifiers of ID tokens, and waits a bounded time for keys.
package struct EventVerifier: Sendable {
    private let verifiers: VerifierTable
    private let keys: any KeyWaiting
    private let now: @Sendable () -> Int64

    /// Creates the verifier.
    ///
    /// - Parameters:
    ///   - keys: The key sets that `verifiers` refer to.
    ///   - now: Seconds since 1970.
    package init(verifiers: VerifierTable, keys: any KeyWaiting, now: @escaping @Sendable () -> Int64) {
        self.verifiers = verifiers
        self.keys = keys
        self.now = now
    }

    /// Verifies the token of an event.
    ///
    /// - Parameters:
    ///   - form: The required form of event.
    ///   - provider: The required provider. `nil` if any is accepted.
    func verify(
        _ text: String, as form: EventForm, of provider: Configuration.Provider.Kind? = nil
    ) async throws(AccountDenial) -> VerifiedEvent {
        guard let token = try? UnverifiedJWS(text) else {
            throw .event(VerificationFailure.Reason.notCompactJWS.rawValue)
        }
        let verifier = try verifier(of: token, provider)
        let kid = try checkBeforeSignature(token, by: verifier, form)
        switch await keys.key(kid: kid, set: verifier.keySet) {
        case .key(let key, let view): return try judge(token, by: verifier, key, view, form)
        case .unknown: throw .event(VerificationFailure.Reason.unknownKey.rawValue)
        // The provider may have added the key since the last fetch.
        case .unconfirmed(let retryAfter), .unavailable(let retryAfter):
            throw AccountDenial(Denial(.keysUnavailable, retryAfter: retryAfter), reason: "the provider's keys")
        }
    }

    private func verifier(
        of token: UnverifiedJWS, _ provider: Configuration.Provider.Kind?
    ) throws(AccountDenial) -> ProviderVerifier {
        do throws(VerificationFailure) {
            let index = try verifiers.index(for: token, .idToken)
            guard case .provider(let verifier) = verifiers.verifiers[index],
                provider.map({ verifier.id.utf8.elementsEqual($0.rawValue.utf8) }) ?? true
            else { throw VerificationFailure(code: .invalidIDToken, reason: .issuer) }
            return verifier
        } catch {
            throw AccountDenial(event: error)
        }
    }

    private func checkBeforeSignature(
        _ token: UnverifiedJWS, by verifier: ProviderVerifier, _ form: EventForm
    ) throws(AccountDenial) -> String {
        if form == .logoutToken { try LogoutToken.checkNamesUser(token.payload.root, verifier) }
        do throws(VerificationFailure) {
            return try verifier.checkEventBeforeSignature(token, type: form.type, keys.view(of: verifier.keySet))
        } catch {
            throw AccountDenial(event: error)
        }
    }

    private func judge(
        _ token: UnverifiedJWS, by verifier: ProviderVerifier, _ key: PublicKey, _ view: KeySetView, _ form: EventForm
    ) throws(AccountDenial) -> VerifiedEvent {
        // The time may have advanced while waiting for the key.
        let now = now()
        let signed: SignedEvent
        do throws(VerificationFailure) {
            signed = try verifier.verifyEvent(token, key: key, view, now: now)
        } catch {
            throw AccountDenial(event: error)
        }
        return try VerifiedEvent(signed, form: form, now: now)
    }
}

/// A valid event of a provider: signed for the gateway, current, and with a unique ID.
struct VerifiedEvent: Sendable {
    /// The maximum validity of an event in seconds after `iat`, whatever its `exp`. Marks are kept longer, so that no
    /// event outlives its mark.
    static let longestLife: Int64 = 29 * 86_400
    /// The maximum size of `jti`, in bytes.
    static let longestID = 1024

    let signed: SignedEvent
    /// The key under which the event is marked as seen.
    let mark: SHA256Digest
    /// The lifetime of the mark, in seconds.
    let lifetime: Int64

    init(_ signed: SignedEvent, form: EventForm, now: Int64) throws(AccountDenial) {
        let end = try Self.end(of: signed, form)
        guard end.isAfter(now) else { throw .event("the event has expired") }
        self.signed = signed
        mark = try Self.mark(of: signed.claims)
        // Another gateway's clock may be behind.
        let left = end.adding(signed.verifier.clockSkew).seconds(since: UnixTime(clamping: now))
        lifetime = min(left, StoreBounds.maximumLifetime)
    }

    private static func end(of signed: SignedEvent, _ form: EventForm) throws(AccountDenial) -> UnixTime {
        guard let expiresAt = signed.expiresAt else {
            guard let life = form.lifeWithoutExpiry else { throw .event("no exp") }
            return signed.issuedAt.adding(life)
        }
        return min(expiresAt, signed.issuedAt.adding(longestLife))
    }

    /// Returns the SHA-256 of `iss` and `jti`, each preceded by its length, so that the encoding is unambiguous.
    static func mark(of claims: JSONValue) throws(AccountDenial) -> SHA256Digest {
        guard let id = claims["jti"]?.string, (1...longestID).contains(id.utf8.count) else {
            throw .event("jti is not a string of 1 to \(longestID) bytes")
        }
        var bytes: [UInt8] = []
        for text in [claims["iss"]?.string ?? "", id] {
            withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: text.utf8)
        }
        return try AccountDenial.hash(bytes)
    }
}
