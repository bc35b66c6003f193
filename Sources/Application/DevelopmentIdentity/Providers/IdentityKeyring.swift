internal import JOSE
internal import Synchronization

/// The identity providers' keys of one development provider, created or loaded on first use.
final class IdentityKeyring: Sendable {
    /// The maximum number of providers, because each request for `/oidc/NAME/jwks` creates keys.
    static let mostProviders = 64

    private let directory: String?
    private let mostProviders: Int
    private let published = Mutex<[IdentityProvider: [PublishedKey]]>([:])

    /// Creates a keyring in a directory. `nil` for keys shared by all providers of this process.
    init(directory: String?, mostProviders: Int = mostProviders) {
        self.directory = directory
        self.mostProviders = mostProviders
    }

    /// Returns the current keys of a provider.
    func keys(of provider: IdentityProvider) throws(DevelopmentIdentityError) -> [PublishedKey] {
        try update(provider) { _ in }
    }

    /// Changes the keys of a provider and returns them.
    @discardableResult
    func update(
        _ provider: IdentityProvider, _ change: (inout [PublishedKey]) -> Void
    ) throws(DevelopmentIdentityError) -> [PublishedKey] {
        if let changed = published.withLock({ Self.change(provider, in: &$0, change) }) { return changed }
        guard published.withLock({ $0.count < mostProviders }) else {
            throw DevelopmentIdentityError(.full, "there are keys of \(mostProviders) providers already")
        }
        let made = provider.published(try IdentityKeys.keys(of: provider, in: directory))
        return published.withLock { all in
            if all[provider] == nil { all[provider] = made }
            return Self.change(provider, in: &all, change) ?? made
        }
    }

    private static func change(
        _ provider: IdentityProvider, in all: inout [IdentityProvider: [PublishedKey]],
        _ change: (inout [PublishedKey]) -> Void
    ) -> [PublishedKey]? {
        guard var keys = all[provider] else { return nil }
        change(&keys)
        all[provider] = keys
        return keys
    }

    /// Signs a token with the provider's last key that may sign for the token's issuer.
    func sign(_ token: ProviderToken) throws(DevelopmentIdentityError) -> String {
        let keys = try keys(of: token.provider)
        guard let signer = keys.last(where: { $0.signs(for: token.claims["iss"]) }) else {
            throw DevelopmentIdentityError(.keys, "\(token.provider.id) has no key to sign with")
        }
        return try DevelopmentIdentityError.wrapping { () throws(SigningKeyError) in try token.signed(by: signer.key) }
    }
}
