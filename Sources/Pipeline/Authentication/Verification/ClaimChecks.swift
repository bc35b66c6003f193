package import GatewayCore
package import JOSE

/// The checks that Firebase tokens and providers' ID tokens have in common, one function each. Verifiers run them in
/// order; `explain` reports the result of each.
package protocol ClaimChecks: Sendable {
    var kind: CredentialKind { get }
    /// The tolerance for `iat`, `nbf` and `auth_time` in the future, in seconds. It never prolongs `exp`.
    var clockSkew: Int64 { get }
}

extension ClaimChecks {
    // MARK: - Before the signature

    package func refuseCustomToken(_ token: UnverifiedJWS) throws(VerificationFailure) {
        let claims = token.payload.root
        if claims["aud"]?.equals(FirebaseVerifier.customTokenAudience) == true {
            throw VerificationFailure(code: .argumentError, reason: .customToken)
        }
        if token.algorithmName == "HS256", claims["v"]?.integer == 0, claims["d"]?["uid"] != nil {
            throw VerificationFailure(code: .argumentError, reason: .legacyCustomToken)
        }
    }

    /// Accepts `JWT` or no type in ID tokens. Any other type is another kind of token (RFC 8725 section 3.11).
    package func checkType(of token: UnverifiedJWS) throws(VerificationFailure) {
        if let type = token.type, type != "JWT" { throw invalid(.type) }
    }

    // MARK: - After the signature

    package func expiry(of claims: JSONValue, now: Int64) throws(VerificationFailure) -> UnixTime {
        guard let seconds = claims["exp"]?.integer else { throw invalid(.expiryMissing) }
        guard let expiresAt = UnixTime(claim: seconds), expiresAt.isAfter(now) else {
            throw VerificationFailure(code: kind.expiredCode, reason: .expired)
        }
        return expiresAt
    }

    @discardableResult
    package func checkIssuedAt(_ claims: JSONValue, now: Int64) throws(VerificationFailure) -> UnixTime {
        guard let issuedAt = claims["iat"]?.integer.flatMap(UnixTime.init(claim:)) else { throw invalid(.issuedAt) }
        guard !issuedAt.isAfter(now, skew: clockSkew) else { throw invalid(.issuedInFuture) }
        return issuedAt
    }

    package func checkNotBefore(_ claims: JSONValue, now: Int64) throws(VerificationFailure) {
        guard let notBefore = claims["nbf"] else { return }
        guard let time = notBefore.integer.flatMap(UnixTime.init(claim:)), !time.isAfter(now, skew: clockSkew) else {
            throw invalid(.notBefore)
        }
    }

    package func authTime(of claims: JSONValue, now: Int64) throws(VerificationFailure) -> UnixTime {
        guard let seconds = claims["auth_time"]?.integer else { throw invalid(.authenticationTime) }
        guard let authTime = UnixTime(claim: seconds), !authTime.isAfter(now, skew: clockSkew) else {
            throw invalid(.authenticatedInFuture)
        }
        return authTime
    }

    package func invalid(_ reason: VerificationFailure.Reason) -> VerificationFailure {
        VerificationFailure(code: kind.invalidCode, reason: reason)
    }
}
