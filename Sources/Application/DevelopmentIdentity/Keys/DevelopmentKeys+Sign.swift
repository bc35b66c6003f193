internal import JOSE

extension DevelopmentKeys {
    /// Signs a token with the current key of its kind; custom tokens with the one for ID tokens.
    ///
    /// - Throws: `keys` where there is no key of that use, or libcrypto refuses to sign.
    public func sign(_ token: FirebaseToken) throws(DevelopmentIdentityError) -> String {
        let use: Use = token.kind == .sessionCookie ? .sessionCookie : .idToken
        guard let key = current(for: use) else {
            throw DevelopmentIdentityError(.keys, "there is no \(use.rawValue) key to sign with")
        }
        do throws(SigningKeyError) {
            return try token.signed(by: key)
        } catch {
            throw DevelopmentIdentityError(.keys, error.description)
        }
    }
}
