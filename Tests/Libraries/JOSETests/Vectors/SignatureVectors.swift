import Foundation
import Testing

@testable import JOSE

/// A file of `Data/` from `make_vectors.py`: signatures and keys with their verdicts.
struct SignatureVectors: Decodable {
    struct Group: Decodable {
        let about: String
        let rows: [Row]
    }

    struct Row: Decodable {
        let verdict: Verdict
        let name: String
        let key: String
        /// The algorithm of the header and of the verification.
        let alg: Algorithm?
        let payload: String?
        let signature: String?
        /// The reason why the key is skipped.
        let reason: String?
    }

    enum Verdict: String, Decodable {
        /// The key is accepted and the signature verifies.
        case accept
        /// The key is accepted and the signature does not verify.
        case refuse
        /// The key is skipped.
        case skip
        /// The key is accepted and has no known signature.
        case take
    }

    let keys: [String: [String: String]]
    let groups: [Group]

    static func file(_ name: String) throws -> SignatureVectors {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Data/\(name).json")
        return try JSONDecoder().decode(SignatureVectors.self, from: try Data(contentsOf: path))
    }

    /// Returns the cases of a file.
    static func cases(_ name: String) throws -> [SignatureCase] {
        let file = try file(name)
        return try file.groups.flatMap { group in
            try group.rows.map { try SignatureCase($0, about: group.about, keys: file.keys) }
        }
    }
}

extension Algorithm: Decodable {}

/// A row with its key and its token.
struct SignatureCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let verdict: SignatureVectors.Verdict
    let keyName: String
    let jwk: String
    let algorithm: Algorithm
    let signature: [UInt8]
    let signingInput: String
    let reason: String?

    init(_ row: SignatureVectors.Row, about: String, keys: [String: [String: String]]) throws {
        testDescription = "\(about): \(row.name)"
        verdict = row.verdict
        keyName = row.key
        jwk = String(decoding: try JSONEncoder().encode(try #require(keys[row.key])), as: UTF8.self)
        algorithm = row.alg ?? .rs256
        signature = try #require(Base64URL.decode(row.signature ?? ""))
        reason = row.reason
        let header = #"{"alg":"\#(algorithm.rawValue)","kid":"k"}"#
        let payload = row.payload ?? #"{"sub":"someone","n":1}"#
        signingInput = [header, payload].map { Base64URL.encode([UInt8]($0.utf8)) }.joined(separator: ".")
    }

    var token: String { "\(signingInput).\(Base64URL.encode(signature))" }
}
