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
