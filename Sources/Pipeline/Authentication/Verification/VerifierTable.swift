package import JOSE

/// The table of verifiers. A token's verifier is found by its exact `iss` and its kind; the gateway's own cookies are
/// found by their type.
package struct VerifierTable: Sendable {
    package let verifiers: [TokenVerifier]
    /// The Firebase verifier of each kind. It also rejects tokens of unknown issuers.
    private let firebase: [CredentialKind: Int]
    /// Providers by the bytes of their issuers: `String` equality uses canonical equivalence.
    private let providers: [[UInt8]: Int]
    /// Providers whose issuers cannot be listed.
    private let patterned: [Int]
    /// The verifier of the gateway's own session cookies.
    private let session: Int?

    /// Creates the table. If two verifiers have the same issuer, the first one is used.
    init(_ verifiers: [TokenVerifier]) {
        self.verifiers = verifiers
        var firebase: [CredentialKind: Int] = [:]
        var providers: [[UInt8]: Int] = [:]
        var patterned: [Int] = []
        var session: Int?
        for (index, verifier) in verifiers.enumerated() {
            switch verifier {
            case .firebase(let verifier):
                if firebase[verifier.kind] == nil { firebase[verifier.kind] = index }
            case .provider(let verifier):
                if verifier.rules.issuers.isEmpty { patterned.append(index) }
                for issuer in verifier.rules.issuers where providers[Array(issuer.utf8)] == nil {
                    providers[Array(issuer.utf8)] = index
                }
            case .session: session = index
            }
        }
        self.firebase = firebase
        self.providers = providers
        self.patterned = patterned
        self.session = session
    }

    /// Returns the verifier of a token that was presented as `kind`.
    ///
    /// - Throws: The failure of a token without a verifier.
    package func index(for token: UnverifiedJWS, _ kind: CredentialKind) throws(VerificationFailure) -> Int {
        if kind == .idToken, let index = provider(of: token.payload.root) { return index }
        if kind == .sessionCookie, let session, SessionVerifier.judges(token) { return session }
        if let index = firebase[kind] { return index }
        try UnroutableToken(kind: kind).refuseCustomToken(token)
        throw VerificationFailure(code: kind.invalidCode, reason: .issuer)
    }

    private func provider(of claims: JSONValue) -> Int? {
        guard !providers.isEmpty || !patterned.isEmpty else { return nil }
        guard let claim = claims["iss"], !isFirebases(claim), let issuer = claim.string else { return nil }
        let bytes = Array(issuer.utf8)
        if let index = providers[bytes] { return index }
        // This provider rejects the token with a helpful reason.
        if let index = providers[IssuerText.withOtherEnd(bytes)] { return index }
        return patterned.first { index in
            guard case .provider(let verifier) = verifiers[index] else { return false }
            return verifier.rules.judges(issuer: issuer)
        }
    }

    private func isFirebases(_ issuer: JSONValue) -> Bool {
        guard let index = firebase[.idToken], case .firebase(let verifier) = verifiers[index] else { return false }
        return issuer.equals(verifier.issuer)
    }
}

/// A checker of tokens without a verifier.
private struct UnroutableToken: ClaimChecks {
    let kind: CredentialKind
    let clockSkew: Int64 = 0
}
