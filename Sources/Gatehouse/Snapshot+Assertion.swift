import JOSE

/// Reads the key files of the assertion, once: what is wrong is told at their place in the configuration.
struct AssertionKeyReader {
    /// The largest key file, in bytes.
    private static let maximumSize = 65_536

    private let assertion: Configuration.Assertion?
    private(set) var warnings: [ConfigurationWarning] = []
    private var errors: [ConfigurationError] = []

    init(_ assertion: Configuration.Assertion?) {
        self.assertion = assertion
    }

    /// Nil where no assertion is configured.
    ///
    /// - Throws: every file that cannot be read or holds no such key.
    mutating func read() throws(ConfigurationErrors) -> AssertionKeys? {
        guard let assertion else { return nil }
        let current = key(in: assertion.key)
        let previous = assertion.previousKeys.compactMap { file in key(in: file).map { (file, $0) } }
        guard let current, errors.isEmpty else { throw ConfigurationErrors(errors) }
        for (file, key) in previous where key.keyID == current.keyID {
            warn("the key file \(Quoted(file)) holds the key that signs", "remove it, or name another file")
        }
        return AssertionKeys(current: current, previous: previous.map(\.1))
    }

    private mutating func key(in file: String) -> SigningKey? {
        do {
            let bytes = try BoundedFile.read(file, atMost: Self.maximumSize)
            if BoundedFile.isOpenToOthers(file) {
                warn(
                    "the key file \(Quoted(file)) is open to others than its owner",
                    "chmod 600 it: who reads it can sign")
            }
            return try SigningKey(pem: bytes, algorithm: .es256)
        } catch let error as SigningKeyError {
            fail(file, error.description)
        } catch BoundedFile.Failure.unreadable(let reason) {
            fail(file, "cannot be read (\(reason))", "paths start at the working directory")
        } catch {
            fail(file, "is larger than 64 KiB")
        }
        return nil
    }

    private mutating func fail(
        _ file: String, _ why: String,
        _ remedy: String = "make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"
    ) {
        errors.append(
            ConfigurationError(
                location: place, what: "the key file \(Quoted(file)): \(why)", remedy: remedy))
    }

    private var place: SourceLocation { assertion?.location ?? SourceLocation(origin: "headers.assertion") }

    private mutating func warn(_ what: String, _ remedy: String) {
        warnings.append(ConfigurationWarning(location: place, what: what, remedy: remedy))
    }
}

extension AssertionSigner {
    /// Nil where no assertion is configured.
    init?(_ keys: AssertionKeys?, _ headers: Configuration.IdentityHeaders, upstreams: [String], sign: Sign?) {
        guard let keys, let assertion = headers.assertion else { return nil }
        self.init(
            key: keys.current, field: headers.assertionName, issuer: assertion.issuer, audiences: upstreams,
            lifetime: assertion.lifetime.components.seconds, sign: sign)
    }
}
