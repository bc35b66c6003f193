import GatewayConfiguration
import GatewayCore
package import JOSE

/// What a provider's ID token must be, each check by itself.
extension ProviderVerifier {
    // MARK: - Before the signature

    package func keyID(of token: UnverifiedJWS) throws(VerificationFailure) -> String {
        guard let keyID = token.keyID, !keyID.isEmpty else { throw invalid(.noKeyID) }
        return keyID
    }

    /// - Parameter view: what is known of the provider's keys, which may bring the algorithms with them.
    package func algorithm(of token: UnverifiedJWS, _ view: KeySetView) throws(VerificationFailure) -> Algorithm {
        guard let algorithm = token.algorithm, algorithms.allows(algorithm, by: view) else {
            throw invalid(.providerAlgorithm)
        }
        return algorithm
    }

    /// A logout token (OpenID Connect Back-Channel Logout 1.0) and a security event token (RFC 8417) are signed by the same keys, often for
    /// the same audience.
    package func checkKind(_ claims: JSONValue) throws(VerificationFailure) {
        if claims["events"] != nil { throw invalid(.eventToken) }
        try refuse(rules.kindFlaw(claims))
    }

    package func checkIssuer(_ claims: JSONValue) throws(VerificationFailure) {
        try refuse(rules.issuerFlaw(claims))
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

    /// Who asked for the token, where it says so; a token for several must (OpenID Connect Core 1.0 section 3.1.3.7).
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
        try refuse(rules.subjectFlaw(claims))
        let size = id.utf8.count + 1 + rules.subject(of: claims).utf8.count
        guard size <= ProviderIdentity.maximumUIDSize else { throw invalid(.derivedUserID) }
    }

    /// Why claims of a credential that counted once do not meet the constraints of this configuration; nil: they do.
    func constraintFlaw(_ claims: JSONValue) -> VerificationFailure.Reason? {
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
        try refuse(rules.keyFlaw(key, claims))
    }

    /// Providers need not tell when their user signed in; what they tell must be a time.
    func authTimeIfTold(of claims: JSONValue, now: Int64) throws(VerificationFailure) -> UnixTime? {
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
