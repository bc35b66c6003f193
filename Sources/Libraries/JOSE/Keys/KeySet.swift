/// The public keys of one source. Immutable.
public struct KeySet: Sendable {
    /// The most keys that a set may have, unfit ones included.
    public static let maximumKeys = 512

    /// The keys that can be used, in the order of the source.
    public let keys: [PublicKey]
    /// The keys that cannot, each with the reason.
    public let skipped: [SkippedKey]
    private let byID: [String: PublicKey]

    /// A set of these keys; of two with the same `kid` the first is kept.
    public init(keys: [PublicKey] = []) {
        self.init(KeySetBuilder(keys))
    }

    init(_ builder: KeySetBuilder) {
        keys = builder.keys
        skipped = builder.skipped
        byID = builder.byID
    }

    /// The key with exactly this `kid`, in constant time.
    public func key(id: String) -> PublicKey? {
        guard let key = byID[id] else { return nil }
        // Two strings are equal for Swift when they are canonically equivalent; a kid is its bytes.
        return key.keyID?.utf8.elementsEqual(id.utf8) == true ? key : nil
    }

    /// Reads a JWK set or a map of certificates, told apart by content: an array `keys` makes it a JWK set. A byte order
    /// mark is ignored. `now` is in seconds since 1970.
    public init(detecting bytes: [UInt8], now: Int64) throws(KeySetError) {
        let root = try Self.document(bytes).root
        if root["keys"]?.kind == .array {
            try self.init(jwkSet: root)
        } else {
            try self.init(x509Map: root, now: now)
        }
    }

    /// The JSON of `bytes`, without a byte order mark.
    static func document(_ bytes: [UInt8]) throws(KeySetError) -> JSONDocument {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [UInt8](bytes.dropFirst(3)) : bytes
        do {
            return try JSONDocument(text, limits: .keySet)
        } catch {
            throw KeySetError(.invalidJSON, json: error)
        }
    }
}

/// Collects the keys of a set.
struct KeySetBuilder {
    private(set) var keys: [PublicKey] = []
    private(set) var skipped: [SkippedKey] = []
    private(set) var byID: [String: PublicKey] = [:]

    init() {}

    init(_ keys: [PublicKey]) {
        for key in keys { add(key) }
    }

    /// Adds what `make` makes, or the reason why it does not.
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
    /// Reads a JWK set (RFC 7517 section 5). A byte order mark is ignored.
    ///
    /// Skipped are: RSA below 2048 or above 8192 bits, or with an exponent below 3, even or above 31 bits; points off
    /// their curve; Ed25519 keys of another length, of small order or not in their one spelling; keys for another `use` or
    /// without `verify` in `key_ops`; an `alg` that is unknown or does not suit; keys with private members; a `kid` seen
    /// before.
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

    /// Reads a map from `kid` to a PEM certificate, as Google publishes it. A byte order mark is ignored.
    ///
    /// A certificate only carries a key here: no chain is built, since the source itself is trusted. Skipped are
    /// certificates that cannot be read, that are not valid at `now` (seconds since 1970), and keys that are not RSA or as
    /// weak as ``init(jwkSet:)`` tells.
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

/// Why a document is not a key set at all. Keys in it that are unfit do not fail the set: they are skipped.
public struct KeySetError: Error, Hashable, Sendable {
    /// The kinds of failure; more may be added.
    public enum Code: String, Hashable, Sendable {
        /// Not JSON within the bounds; `json` tells more.
        case invalidJSON
        /// JSON without an array `keys` (RFC 7517 section 5) and without certificates.
        case notKeySet
        /// An object with an `error` in place of keys.
        case errorDocument
        /// More than `KeySet.maximumKeys` keys.
        case tooManyKeys
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong with the JSON, for `invalidJSON`.
    public let json: JSONError?

    init(_ code: Code, json: JSONError? = nil) {
        self.code = code
        self.json = json
    }
}

extension KeySetError: CustomStringConvertible {
    /// What is wrong, as a phrase for the log.
    public var description: String {
        switch code {
        case .invalidJSON: "not JSON: \(json.map(String.init(describing:)) ?? "unreadable")"
        case .notKeySet: "neither a JWK set (\"keys\") nor a map of PEM certificates"
        case .errorDocument: "an error document in place of a key set"
        case .tooManyKeys: "more than \(KeySet.maximumKeys) keys"
        }
    }
}
