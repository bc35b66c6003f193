package import Authentication
import GatewayCore
import JOSE

/// The reading of session cookies that the pipeline does not examine: a flow or a sign-in begins and ends also with an
/// expired one.
package struct SessionReader: Sendable {
    /// The verifier of the gateway's own session cookies. `nil` if none are accepted.
    private let verifier: TokenVerifier?

    package init(_ verifiers: VerifierTable) {
        verifier = verifiers.verifiers.first {
            guard case .session = $0 else { return false }
            return true
        }
    }

    /// Returns the principal of the first session cookie that is valid by itself and fulfils the condition. Its
    /// revocation is not checked.
    func caller(
        _ cookies: [String], keys: SessionKeys, now: Int64, where isExpected: (Principal) -> Bool = { _ in true }
    ) -> Principal? {
        guard let verifier, let hasher = SHA256Hasher() else { return nil }
        for cookie in cookies.prefix(BrowserBinding.maximumTried) {
            guard let token = try? UnverifiedJWS(cookie, maximumSize: Authenticator.maximumTokenSize),
                SessionVerifier.judges(token),
                let id = try? verifier.checkBeforeSignature(token, keys.view), let key = keys.view.keys?.key(id: id),
                let principal = try? verifier.verify(token, key: key, keys.view, now: now, hasher: hasher),
                isExpected(principal)
            else { continue }
            return principal
        }
        return nil
    }
}
