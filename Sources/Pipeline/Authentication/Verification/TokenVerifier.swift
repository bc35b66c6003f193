package import JOSE

/// The verifier of a token: one for each combination of issuer and credential kind.
package enum TokenVerifier: Sendable {
    case firebase(FirebaseVerifier)
    case provider(ProviderVerifier)
    /// The gateway's own session cookies.
    case session(SessionVerifier)

    /// The kind of credential that the verifier accepts.
    package var kind: CredentialKind {
        switch self {
        case .firebase(let verifier): verifier.kind
        case .provider(let verifier): verifier.kind
        case .session(let verifier): verifier.kind
        }
    }

    /// The index of the key set. `nil` for emulator tokens, which need none.
    package var keySet: Int? {
        switch self {
        case .firebase(let verifier): verifier.insecureEmulator ? nil : verifier.keySet
        case .provider(let verifier): verifier.keySet
        case .session(let verifier): verifier.keySet
        }
    }

    /// Runs the checks that need no key.
    ///
    /// - Parameter view: The view of the verifier's key set.
    /// - Returns: The key ID.
    package func checkBeforeSignature(_ token: UnverifiedJWS, _ view: KeySetView) throws(VerificationFailure) -> String
    {
        switch self {
        case .firebase(let verifier): try verifier.checkBeforeSignature(token)
        case .provider(let verifier): try verifier.checkBeforeSignature(token, view)
        case .session(let verifier): try verifier.checkBeforeSignature(token, view)
        }
    }

    /// Verifies the signature and runs the remaining checks.
    ///
    /// - Parameter key: The key of `view` that the token names. `nil` only without a key set.
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
