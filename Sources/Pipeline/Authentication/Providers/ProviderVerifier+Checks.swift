import GatewayConfiguration
import GatewayCore
package import JOSE

/// The checks of a provider's ID token, one function each.
extension ProviderVerifier {
    // MARK: - Before the signature

    package func keyID(of token: UnverifiedJWS) throws(VerificationFailure) -> String {
        guard let keyID = token.keyID, !keyID.isEmpty else { throw invalid(.noKeyID) }
        return keyID
    }

    /// Returns the token's algorithm if it is accepted.
    ///
    /// - Parameter view: The view of the provider's key set, which may contain the accepted algorithms.
    package func algorithm(of token: UnverifiedJWS, _ view: KeySetView) throws(VerificationFailure) -> Algorithm {
        guard let algorithm = token.algorithm, algorithms.allows(algorithm, by: view) else {
            throw invalid(.providerAlgorithm)
        }
        return algorithm
    }

    /// Rejects logout tokens (OpenID Connect Back-Channel Logout 1.0) and security event tokens (RFC 8417). They are
    /// signed with the same keys, often for the same audience.
    package func checkKind(_ claims: JSONValue) throws(VerificationFailure) {
        if claims["events"] != nil { throw invalid(.eventToken) }
        try refuse(rules.kindFailure(claims))
    }

    package func checkIssuer(_ claims: JSONValue) throws(VerificationFailure) {
        try refuse(rules.issuerFailure(claims))
    }

    package func checkAudience(_ claims: JSONValue) throws(VerificationFailure) {
        guard let audience = claims["aud"] else { throw invalid(.audience) }
        let isOurs =
            audience.kind == .array
            ? rules.takesAudienceLists && audience.elements.allSatisfy { $0.kind == .string }
                && audience.elements.contains { isOne(of: audiences, $0) }
            : isOne(of: audiences, audience)
        guard isOurs else { throw invalid(.audience) }
    }

    /// Checks the client that requested the token, if stated. A token with several audiences must state it (OpenID
    /// Connect Core 1.0 section 3.1.3.7).
    package func checkAuthorizedParty(_ claims: JSONValue) throws(VerificationFailure) {
        guard let party = claims["azp"] else {
            if let audience = claims["aud"], audience.count > 1 { throw invalid(.authorizedPartyMissing) }
            return
        }
        guard isOne(of: parties, party) else { throw invalid(.authorizedParty) }
    }

    package func check(_ rule: ClaimRule, _ claims: JSONValue) throws(VerificationFailure) {
        try refuse(rule.flaw(claims))
    }

    package func checkSubject(_ claims: JSONValue) throws(VerificationFailure) {
        try refuse(rules.subjectFailure(claims))
        let size = id.utf8.count + 1 + rules.subject(of: claims).utf8.count
        guard size <= ProviderIdentity.maximumUIDSize else { throw invalid(.derivedUserID) }
    }

    /// Returns the reason if claims of a previously accepted credential do not meet the constraints of this
    /// configuration. Otherwise returns `nil`.
    func constraintFailure(_ claims: JSONValue) -> VerificationFailure.Reason? {
        do throws(VerificationFailure) {
            try checkIssuer(claims)
            try checkAudience(claims)
            try checkAuthorizedParty(claims)
            for rule in rules.claimRules { try check(rule, claims) }
            return nil
        } catch {
            return error.reason
        }
    }

    // MARK: - The key, and after the signature

    package func checkKey(_ key: PublicKey, _ claims: JSONValue) throws(VerificationFailure) {
        try refuse(rules.keyFailure(key, claims))
    }

    /// Returns the sign-in time, which providers may omit. If present, it must be a valid time.
    func optionalAuthTime(of claims: JSONValue, now: Int64) throws(VerificationFailure) -> UnixTime? {
        claims["auth_time"] == nil ? nil : try authTime(of: claims, now: now)
    }

    package func hasSecondFactor(_ claims: JSONValue) -> Bool {
        if let context = claims["acr"], isOne(of: secondFactor.acr, context) { return true }
        return hasElement(claims["amr"], of: secondFactor.amr) || hasElement(claims["acrs"], of: secondFactor.acrs)
    }

    // MARK: -

    private func refuse(_ flaw: VerificationFailure.Reason?) throws(VerificationFailure) {
        if let flaw { throw invalid(flaw) }
    }

    private func hasElement(_ claim: JSONValue?, of values: [String]) -> Bool {
        claim?.elements.contains { isOne(of: values, $0) } ?? false
    }

    private func isOne(of values: [String], _ claim: JSONValue) -> Bool {
        values.contains { claim.equals($0) }
    }
}
