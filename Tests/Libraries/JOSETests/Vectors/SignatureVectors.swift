import Foundation
import Testing

@testable import JOSE

/// A file of `Data/`, which `make_vectors.py` made: signatures and keys with what must become of them.
struct SignatureVectors: Decodable {
    struct Group: Decodable {
        let about: String
        let rows: [Row]
    }

    struct Row: Decodable {
        let verdict: Verdict
        let name: String
        let key: String
        /// What the header says and the caller asks for.
        let alg: Algorithm?
        let payload: String?
        let signature: String?
        /// Why the key is skipped.
        let reason: String?
    }

    enum Verdict: String, Decodable {
        /// The key is taken and the signature verifies.
        case accept
        /// The key is taken and the signature does not verify.
        case refuse
        /// The key is left out, so nothing verifies.
        case skip
        /// The key is taken; nobody knows a signature of it.
        case take
    }

    let keys: [String: [String: String]]
    let groups: [Group]

    static func file(_ name: String) throws -> SignatureVectors {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Data/\(name).json")
        return try JSONDecoder().decode(SignatureVectors.self, from: try Data(contentsOf: path))
    }

    /// The cases of a file whose verdict is one of these.
    static func cases(_ name: String, _ verdicts: Verdict...) throws -> [SignatureCase] {
        let file = try file(name)
        return try file.groups.flatMap { group in
            try group.rows.filter { verdicts.contains($0.verdict) }
                .map { try SignatureCase($0, about: group.about, keys: file.keys) }
        }
    }
}

extension Algorithm: Decodable {}

/// A row with what is needed to try it.
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
