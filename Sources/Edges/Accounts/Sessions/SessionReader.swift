package import Authentication
import GatewayCore
import JOSE

/// The reading of session cookies that the pipeline does not examine: a flow or a sign-in begins and ends also with an
/// expired one.
package struct SessionReader: Sendable {
    /// The maximum number of cookies whose sessions one call ends.
    static let maximumCookies = 16
    /// The verifier of the gateway's own session cookies. `nil` if none are accepted.
    private let verifier: TokenVerifier?

    package init(_ verifiers: VerifierTable) {
        verifier = verifiers.verifiers.first {
            guard case .session = $0 else { return false }
            return true
        }
    }

    /// Returns the principal of the first session cookie that is valid, apart from revocations, and fulfils the
    /// condition.
    func caller(
        _ cookies: [String], keys: SessionKeys, now: Int64, where isExpected: (Principal) -> Bool = { _ in true }
    ) -> Principal? {
        cookies.prefix(BrowserBinding.maximumTried).lazy.compactMap { caller($0, keys, now: now) }
            .first(where: isExpected)
    }

    /// Returns the principals of all session cookies that are valid, apart from revocations. It reads the first
    /// `maximumCookies`.
    func callers(_ cookies: [String], keys: SessionKeys, now: Int64) -> [Principal] {
        cookies.prefix(Self.maximumCookies).compactMap { caller($0, keys, now: now) }
    }

    private func caller(_ cookie: String, _ keys: SessionKeys, now: Int64) -> Principal? {
        guard let verifier, let hasher = SHA256Hasher(),
            let token = try? UnverifiedJWS(cookie, maximumSize: Authenticator.maximumTokenSize),
            SessionVerifier.judges(token),
            let id = try? verifier.checkBeforeSignature(token, keys.view), let key = keys.view.keys?.key(id: id)
        else { return nil }
        return try? verifier.verify(token, key: key, keys.view, now: now, hasher: hasher)
    }
}
