import GatewayCore
import JOSE
package import OutboundHTTP

/// A provider's response that proves an opaque token: that it is valid, its subject, and that it was issued for the
/// gateway.
///
/// Only the judgement in this file creates one.
package struct ProvenResponse: Sendable {
    /// The response's statements by the names of claims: `sub`, `scope`, `iat` and so on.
    let claims: JSONDocument

    private init(claims: JSONDocument) {
        self.claims = claims
    }
}

/// The result of reading a provider's response.
package enum Judgement: Sendable {
    case accepted(ProviderIdentity)
    case refused(VerificationFailure)
    /// The response is unusable. The token may be valid or invalid.
    case failed(LookupFailure)

    fileprivate static func refused(_ reason: VerificationFailure.Reason) -> Judgement {
        .refused(
            VerificationFailure(code: reason == .expired ? .idTokenExpired : .invalidIDToken, reason: reason))
    }
}

extension ProvenResponse {
    /// The bounds of a response's JSON.
    private static let limits = JSONLimits(size: OutboundHTTPClient.sizeLimit, depth: 32, members: 8192)
    /// The maximum size of a subject, in bytes.
    private static let subjectLimit = 255

    /// Judges a response of the check's provider.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - clockSkew: The tolerance for times in the future, in seconds. It never extends a token's lifetime.
    package static func judge(_ response: OutboundResponse, by check: any TokenCheck, now: Int64, clockSkew: Int64)
        -> Judgement
    {
        if check.refusals.contains(response.status) { return .refused(.inactive) }
        guard response.status == 200 else {
            return .failed(LookupFailure(response, ownCredentials: check.ownCredentials, now: now))
        }
        guard let document = try? JSONDocument(response.body, limits: limits) else {
            return .failed(.malformed("the body is not JSON"))
        }
        do throws(Unproven) {
            let proof = try check.examine(document.root, latest: UnixTime(clamping: now).adding(clockSkew))
            try checkTimes(of: proof, now: now, clockSkew: clockSkew)
            try checkSubject(proof.subject)
            return .accepted(try identity(proof, provider: check.provider))
        } catch {
            switch error {
            case .refused(let reason): return .refused(reason)
            case .malformed(let what): return .failed(.malformed(what))
            }
        }
    }

    private static func checkTimes(of proof: TokenProof, now: Int64, clockSkew: Int64) throws(Unproven) {
        if let expiresAt = proof.expiresAt, !expiresAt.isAfter(now) { throw .refused(.expired) }
        if let issuedAt = proof.issuedAt, issuedAt.isAfter(now, skew: clockSkew) { throw .refused(.issuedInFuture) }
        if let authTime = proof.authTime, authTime.isAfter(now, skew: clockSkew) {
            throw .refused(.authenticatedInFuture)
        }
    }

    private static func checkSubject(_ subject: String) throws(Unproven) {
        guard (1...subjectLimit).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw .refused(.subject) }
    }

    /// Returns the identity that checked facts prove.
    static func identity(_ proof: TokenProof, provider: String) throws(Unproven) -> ProviderIdentity {
        guard let claims = try? JSONDocument(proof.claims.bytes) else {
            throw .malformed("more claims than a token may have")
        }
        return ProviderIdentity(
            provider: provider, subject: proof.subject, federatedID: proof.subject,
            claims: AcceptedClaims(introspected: ProvenResponse(claims: claims)), authTime: proof.authTime,
            issuedAt: proof.issuedAt, expiresAt: proof.expiresAt ?? .latest, scopes: proof.scopes)
    }
}
