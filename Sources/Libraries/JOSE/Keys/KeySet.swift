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
