internal import JOSE
internal import Synchronization

/// The source of providers' signing keys. Creating them is slow, so that they are created once per process or stored
/// permanently.
package enum IdentityKeys {
    /// The maximum number of providers with in-memory keys per process.
    static let mostShared = 256

    private static let shared = Mutex<[IdentityProvider: [SigningKey]]>([:])

    /// Returns the keys of a provider: from a directory, where they are created if necessary, or the keys shared by
    /// this process.
    ///
    /// - Throws: `keys` if no key can be created, `full` for too many providers, `keyFile` as in ``DevelopmentKeys``.
    static func keys(
        of provider: IdentityProvider, in directory: String?
    ) throws(DevelopmentIdentityError) -> [SigningKey] {
        guard let directory else { return try sharedKeys(of: provider) }
        let file = PrivateFile(directory: directory, name: "development-keys-\(provider.id).pem")
        if let text = try file.text() { return try parse(text, provider, file) }
        try file.create(KeyBlocks(made(for: provider).map { (provider.id, $0) }).text)
        guard let text = try file.text() else {
            throw DevelopmentIdentityError(.keyFile, "\(file.path) vanished while it was made")
        }
        return try parse(text, provider, file)
    }

    /// Creates the keys of the well-known providers and of Firebase that this process shares. Otherwise the first use
    /// of each creates them, on an event loop.
    package static func createShared() throws {
        for provider in IdentityProvider.wellKnown { _ = try sharedKeys(of: provider) }
        _ = try DevelopmentKeys.shared()
        _ = try ServiceAccount.sharedKey()
    }

    private static func sharedKeys(of provider: IdentityProvider) throws(DevelopmentIdentityError) -> [SigningKey] {
        // The lock is held while keys are created, so that they are created only once.
        try shared.withLock { all throws(DevelopmentIdentityError) in
            if let keys = all[provider] { return keys }
            guard all.count < mostShared else {
                throw DevelopmentIdentityError(.full, "this process made keys for \(mostShared) providers already")
            }
            let keys = try made(for: provider)
            all[provider] = keys
            return keys
        }
    }

    private static func made(for provider: IdentityProvider) throws(DevelopmentIdentityError) -> [SigningKey] {
        try DevelopmentIdentityError.wrapping { () throws(SigningKeyError) in
            try provider.keyAlgorithms.map { algorithm throws(SigningKeyError) in
                try .generate(algorithm, keyID: DevelopmentKeys.randomKeyID())
            }
        }
    }

    private static func parse(
        _ text: String, _ provider: IdentityProvider, _ file: PrivateFile
    ) throws(DevelopmentIdentityError) -> [SigningKey] {
        do throws(DevelopmentIdentityError) {
            let keys = try KeyBlocks(parsing: text).blocks.filter { $0.use == provider.id }.map(\.key)
            guard keys.map(\.algorithm) == provider.keyAlgorithms else {
                throw DevelopmentIdentityError(
                    .keyFile, "not the keys of \(provider.id); delete the file to have it made anew")
            }
            return keys
        } catch {
            throw DevelopmentIdentityError(.keyFile, "\(file.path): \(error.description)")
        }
    }
}
