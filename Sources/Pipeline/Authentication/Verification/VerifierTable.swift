package import JOSE

/// The table of verifiers. A token's verifier is found by its exact `iss` and its kind; the gateway's own cookies are
/// found by their type.
package struct VerifierTable: Sendable {
    package let verifiers: [TokenVerifier]
    /// The Firebase verifiers of each kind, one for each project. The first one also rejects tokens of unknown issuers.
    private let firebase: [CredentialKind: [Int]]
    /// Providers by the bytes of their issuers: `String` equality uses canonical equivalence.
    private let providers: [[UInt8]: Int]
    /// Providers whose issuers cannot be listed.
    private let patterned: [Int]
    /// The verifier of the gateway's own session cookies.
    private let session: Int?

    /// Creates the table. If two verifiers have the same issuer, the first one is used.
    init(_ verifiers: [TokenVerifier]) {
        self.verifiers = verifiers
        var firebase: [CredentialKind: [Int]] = [:]
        var providers: [[UInt8]: Int] = [:]
        var patterned: [Int] = []
        var session: Int?
        for (index, verifier) in verifiers.enumerated() {
            switch verifier {
            case .firebase(let verifier):
                firebase[verifier.kind, default: []].append(index)
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
        if let index = firebaseVerifier(of: token.payload.root, kind) { return index }
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

    /// Returns the Firebase verifier with the exact issuer, or the first one.
    private func firebaseVerifier(of claims: JSONValue, _ kind: CredentialKind) -> Int? {
        guard let candidates = firebase[kind] else { return nil }
        guard candidates.count > 1, let issuer = claims["iss"] else { return candidates.first }
        return candidates.first { isIssuer(issuer, of: $0) } ?? candidates.first
    }

    private func isFirebases(_ issuer: JSONValue) -> Bool {
        firebase[.idToken]?.contains { isIssuer(issuer, of: $0) } ?? false
    }

    private func isIssuer(_ issuer: JSONValue, of index: Int) -> Bool {
        guard case .firebase(let verifier) = verifiers[index] else { return false }
        return issuer.equals(verifier.issuer)
    }
}

/// A checker of tokens without a verifier.
private struct UnroutableToken: ClaimChecks {
    let kind: CredentialKind
    let clockSkew: Int64 = 0
}
