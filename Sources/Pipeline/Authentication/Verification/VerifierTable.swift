package import JOSE

/// Which verifier judges a token: the one of its exact `iss` and of the place where it stands; of the gateway's own cookies, by their type.
package struct VerifierTable: Sendable {
    package let verifiers: [TokenVerifier]
    /// Firebase's for each place; they also judge tokens of issuers that nobody knows.
    private let firebase: [CredentialKind: Int]
    /// Providers by the bytes of their issuers: strings compare by canonical equivalence.
    private let providers: [[UInt8]: Int]
    /// Providers whose issuers are more than can be listed.
    private let patterned: [Int]
    /// The one of the gateway's own session cookies.
    private let session: Int?

    /// - Parameter verifiers: where two have the same issuer, the first judges.
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

    /// The verifier of a token that stands at the place of `kind`.
    ///
    /// - Throws: the refusal of a token that is nobody's.
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
        // Refused by it, with the words that help.
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

/// Refuses what no verifier judges.
private struct UnroutableToken: ClaimChecks {
    let kind: CredentialKind
    let clockSkew: Int64 = 0
}
