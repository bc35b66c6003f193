/// The immutable public keys of one source.
public struct KeySet: Sendable {
    /// The maximum number of keys in a set, including unfit ones.
    public static let maximumKeys = 512

    /// The usable keys, in the order of the source.
    public let keys: [PublicKey]
    /// The unusable keys with the reasons.
    public let skipped: [SkippedKey]
    private let byID: [String: PublicKey]

    /// Creates a set. If two keys have the same `kid`, the first is kept.
    public init(keys: [PublicKey] = []) {
        self.init(KeySetBuilder(keys))
    }

    init(_ builder: KeySetBuilder) {
        keys = builder.keys
        skipped = builder.skipped
        byID = builder.byID
    }

    /// Returns the key with exactly this `kid`, in constant time. `nil` if it is absent.
    public func key(id: String) -> PublicKey? {
        guard let key = byID[id] else { return nil }
        // Swift compares strings by canonical equivalence; a `kid` is compared by bytes.
        return key.keyID?.utf8.elementsEqual(id.utf8) == true ? key : nil
    }

    /// Parses a JWK set or a map of certificates. An array `keys` identifies a JWK set. A byte order mark is ignored.
    /// `now` is in seconds since 1970.
    public init(detecting bytes: [UInt8], now: Int64) throws(KeySetError) {
        let root = try Self.document(bytes).root
        if root["keys"]?.kind == .array {
            try self.init(jwkSet: root)
        } else {
            try self.init(x509Map: root, now: now)
        }
    }

    /// Parses the JSON of `bytes` without a byte order mark.
    static func document(_ bytes: [UInt8]) throws(KeySetError) -> JSONDocument {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [UInt8](bytes.dropFirst(3)) : bytes
        do {
            return try JSONDocument(text, limits: .keySet)
        } catch {
            throw KeySetError(.invalidJSON, json: error)
        }
    }
}

/// A builder of a set.
struct KeySetBuilder {
    private(set) var keys: [PublicKey] = []
    private(set) var skipped: [SkippedKey] = []
    private(set) var byID: [String: PublicKey] = [:]

    init() {}

    init(_ keys: [PublicKey]) {
        for key in keys { add(key) }
    }

    /// Adds the key that `make` returns, or the error that it throws.
    mutating func add(keyID: String?, _ make: () throws(UnfitKey) -> PublicKey) {
        do {
            add(try make())
        } catch {
            skipped.append(SkippedKey(keyID: keyID, reason: error.reason))
        }
    }

    private mutating func add(_ key: PublicKey) {
        if let keyID = key.keyID {
            guard byID[keyID] == nil else {
                skipped.append(SkippedKey(keyID: keyID, reason: "another key has the same \"kid\""))
                return
            }
            byID[keyID] = key
        }
        keys.append(key)
    }
}

extension KeySet {
    /// Parses a JWK set (RFC 7517 section 5). A byte order mark is ignored.
    ///
    /// These keys are skipped:
    /// - RSA keys with fewer than 2048 or more than 8192 bits, or with an exponent that is even, below 3 or above 31
    ///   bits.
    /// - Points that are not on their curve.
    /// - Ed25519 keys of the wrong length, of small order or not in canonical form.
    /// - Keys for another `use`, or with `key_ops` that lack `verify`.
    /// - Keys with an `alg` that is unknown or does not suit the key.
    /// - Keys with private members.
    /// - Keys with the `kid` of an earlier key.
    public init(jwkSet bytes: [UInt8]) throws(KeySetError) {
        try self.init(jwkSet: Self.document(bytes).root)
    }

    init(jwkSet root: JSONValue) throws(KeySetError) {
        guard let list = root["keys"], list.kind == .array else {
            throw KeySetError(root["error"] == nil ? .notKeySet : .errorDocument)
        }
        guard list.count <= Self.maximumKeys else { throw KeySetError(.tooManyKeys) }
        var builder = KeySetBuilder()
        for element in list.elements {
            let keyID = element["kid"]?.string
            builder.add(keyID: keyID) { () throws(UnfitKey) in try JWK(element).makeKey() }
        }
        self.init(builder)
    }

    /// Parses a map from `kid` to a PEM certificate, as Google publishes it. A byte order mark is ignored.
    ///
    /// A certificate only carries a key here. No chain is built, since the source is trusted. Certificates that are
    /// unreadable or not valid at `now` (seconds since 1970) are skipped, and so are keys that are not RSA or that
    /// ``init(jwkSet:)`` skips as weak.
    public init(x509Map bytes: [UInt8], now: Int64) throws(KeySetError) {
        try self.init(x509Map: Self.document(bytes).root, now: now)
    }

    init(x509Map root: JSONValue, now: Int64) throws(KeySetError) {
        guard root["error"] == nil else { throw KeySetError(.errorDocument) }
        guard root.members.contains(where: { isPEM($0.value) }) else { throw KeySetError(.notKeySet) }
        guard root.count <= Self.maximumKeys else { throw KeySetError(.tooManyKeys) }
        var builder = KeySetBuilder()
        for (keyID, value) in root.members {
            builder.add(keyID: keyID) { () throws(UnfitKey) in
                guard isPEM(value), let text = value.string else { throw UnfitKey("not a PEM certificate") }
                guard !keyID.isEmpty else { throw UnfitKey("\"kid\" is empty") }
                let material = try X509Certificate(pem: text).rsaKey(validAt: now)
                return try PublicKey(material, keyID: keyID, declared: nil)
            }
        }
        self.init(builder)
    }
}

private func isPEM(_ value: JSONValue) -> Bool {
    value.string?.contains("-----BEGIN CERTIFICATE-----") ?? false
}

/// The reason that a document is not a key set. Unfit keys are skipped and do not fail the set.
public struct KeySetError: Error, Hashable, Sendable {
    /// The kind of error. The list can grow.
    public enum Code: String, Hashable, Sendable {
        /// Not JSON within the bounds; see `json`.
        case invalidJSON
        /// JSON without an array `keys` (RFC 7517 section 5) and without certificates.
        case notKeySet
        /// An object with an `error` in place of keys.
        case errorDocument
        /// More than `KeySet.maximumKeys` keys.
        case tooManyKeys
    }

    /// The kind of error.
    public let code: Code
    /// The JSON error, for `invalidJSON`.
    public let json: JSONError?

    init(_ code: Code, json: JSONError? = nil) {
        self.code = code
        self.json = json
    }
}

extension KeySetError: CustomStringConvertible {
    /// The error as a phrase for the log.
    public var description: String {
        switch code {
        case .invalidJSON: "not JSON: \(json.map(String.init(describing:)) ?? "unreadable")"
        case .notKeySet: "neither a JWK set (\"keys\") nor a map of PEM certificates"
        case .errorDocument: "an error document instead of a key set"
        case .tooManyKeys: "more than \(KeySet.maximumKeys) keys"
        }
    }
}
