import GatewayConfiguration
import GatewayCore
import JOSE

/// The configured key files for one purpose.
struct SigningKeyFiles {
    /// The file of the signing key.
    let current: String
    let previous: [String]
    /// The location in the configuration.
    let location: SourceLocation
}

extension SigningKeyFiles {
    /// Returns `nil` if no assertion is configured.
    init?(_ assertion: Configuration.Assertion?) {
        guard let assertion else { return nil }
        (current, previous, location) = (assertion.key, assertion.previousKeys, assertion.location)
    }

    /// Returns `nil` if no session key file is configured.
    init?(_ accounts: Configuration.Accounts?) {
        guard let accounts, let file = accounts.sessionKey else { return nil }
        (current, previous, location) = (file, accounts.previousSessionKeys, accounts.location)
    }
}

extension SigningKeyFiles {
    /// Returns the key of a provider's signed client secret. `nil` if the provider has none.
    init?(_ provider: Configuration.Provider) {
        guard case .signed(_, _, let file)? = provider.codeFlow?.credential else { return nil }
        (current, previous, location) = (file, [], provider.location)
    }
}

/// A reader of key files. It reports errors at their location in the configuration.
struct SigningKeyReader {
    /// The keys for one purpose.
    typealias Keys = (current: SigningKey, previous: [SigningKey])

    /// The maximum size of a key file, in bytes.
    private static let maximumSize = 65_536

    private(set) var warnings: [ConfigurationWarning] = []
    private(set) var errors: [ConfigurationError] = []

    /// Reads the keys. `nil` if no files are configured, or if one is unreadable or invalid; ``errors`` contains the
    /// reasons.
    mutating func read(_ files: SigningKeyFiles?) -> Keys? {
        guard let files else { return nil }
        let current = key(in: files.current, files)
        let previous = files.previous.compactMap { file in key(in: file, files).map { (file, $0) } }
        guard let current, previous.count == files.previous.count else { return nil }
        for (file, key) in previous where key.keyID == current.keyID {
            warn(
                "the key file \(Quoted(file)) contains the current signing key", "remove it, or name another file",
                files)
        }
        return (current, previous.map(\.1))
    }

    /// Reports a session key that also signs assertions, regardless of the file names.
    mutating func keepApart(_ session: SigningKey?, _ assertion: SigningKey?, at location: SourceLocation) {
        guard let session, let assertion, session.keyID == assertion.keyID else { return }
        errors.append(
            ConfigurationError(
                location: location, what: "accounts.session_key contains the key that signs assertions",
                remedy: "create a separate key"))
    }

    private mutating func key(in file: String, _ files: SigningKeyFiles) -> SigningKey? {
        do {
            let bytes = try BoundedFile.read(file, atMost: Self.maximumSize)
            if BoundedFile.isOpenToOthers(file) {
                warn(
                    "the key file \(Quoted(file)) is accessible to users other than its owner",
                    "chmod 600 it; any reader can sign with it", files)
            }
            return try SigningKey(pem: bytes, algorithm: .es256)
        } catch let error as SigningKeyError {
            fail(file, error.description, files)
        } catch BoundedFile.Failure.unreadable(let reason) {
            fail(
                file, "cannot be read (\(reason))", files, "paths are relative to the folder of the configuration file")
        } catch {
            fail(file, "is larger than 64 KiB", files)
        }
        return nil
    }

    private mutating func fail(
        _ file: String, _ why: String, _ files: SigningKeyFiles,
        _ remedy: String = "make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"
    ) {
        errors.append(
            ConfigurationError(
                location: files.location, what: "the key file \(Quoted(file)): \(why)", remedy: remedy))
    }

    private mutating func warn(_ what: String, _ remedy: String, _ files: SigningKeyFiles) {
        warnings.append(ConfigurationWarning(location: files.location, what: what, remedy: remedy))
    }
}
