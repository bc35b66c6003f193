package import JOSE

/// Who judges a token: one for each issuer and place.
package enum TokenVerifier: Sendable {
    case firebase(FirebaseVerifier)
    case provider(ProviderVerifier)
    /// The gateway's own session cookies.
    case session(SessionVerifier)

    /// The place where alone its tokens count.
    package var kind: CredentialKind {
        switch self {
        case .firebase(let verifier): verifier.kind
        case .provider(let verifier): verifier.kind
        case .session(let verifier): verifier.kind
        }
    }

    /// Which key set verifies; nil: the emulator's tokens need none.
    package var keySet: Int? {
        switch self {
        case .firebase(let verifier): verifier.insecureEmulator ? nil : verifier.keySet
        case .provider(let verifier): verifier.keySet
        case .session(let verifier): verifier.keySet
        }
    }

    /// The checks that need no key.
    ///
    /// - Parameter view: what is known of its key set.
    /// - Returns: the key's id.
    package func checkBeforeSignature(_ token: UnverifiedJWS, _ view: KeySetView) throws(VerificationFailure) -> String
    {
        switch self {
        case .firebase(let verifier): try verifier.checkBeforeSignature(token)
        case .provider(let verifier): try verifier.checkBeforeSignature(token, view)
        case .session(let verifier): try verifier.checkBeforeSignature(token, view)
        }
    }

    /// Checks the signature and the rest.
    ///
    /// - Parameter key: the key of `view` that the token names; nil only where there is no key set.
    package func verify(
        _ token: UnverifiedJWS, key: PublicKey?, _ view: KeySetView, now: Int64, hasher: SHA256Hasher
    ) throws(VerificationFailure) -> Principal {
        switch self {
        case .firebase(let verifier):
            return try verifier.verify(token, key: key, now: now, hasher: hasher)
        case .provider(let verifier):
            guard let key else { throw verifier.invalid(.unknownKey) }
            return try verifier.verify(token, key: key, view, now: now, hasher: hasher)
        case .session(let verifier):
            guard let key else { throw verifier.invalid(.unknownKey) }
            return try verifier.verify(token, key: key, view, now: now, hasher: hasher)
        }
    }
}
