import Testing

@testable import JOSE

@Suite("every algorithm with every other's signature")
struct AlgorithmMatrixTests {
    static func rows() throws -> [SignatureCase] {
        try SignatureVectors.cases("Matrix", .accept, .refuse)
    }

    @Test("the file has each of the ten with each of the ten")
    func complete() throws {
        #expect(try Self.rows().count == Algorithm.allCases.count * Algorithm.allCases.count)
    }

    @Test("a signature verifies only with the key and the algorithm that made it", arguments: try rows())
    func diagonal(row: SignatureCase) throws {
        let token = try UnverifiedJWS(row.token)
        for other in try Self.rows() where other.verdict == .accept {
            let key = try Keys.key(other.jwk)
            for algorithm in Algorithm.allCases {
                let expected = row.verdict == .accept && other.keyName == row.keyName && algorithm == row.algorithm
                let isVerified = token.verify(with: key, algorithm: algorithm) != nil
                #expect(isVerified == expected, "\(other.keyName), \(algorithm)")
            }
        }
    }

    @Test("a key that names its algorithm verifies no other's signature either", arguments: try rows())
    func declared(row: SignatureCase) throws {
        let token = try UnverifiedJWS(row.token)
        for declared in Algorithm.allCases {
            let jwk = row.jwk.dropLast() + #","alg":"\#(declared.rawValue)"}"#
            guard let key = try Keys.set(String(jwk)).key(id: "k") else { continue }
            for asked in Algorithm.allCases {
                let expected = row.verdict == .accept && declared == row.algorithm && asked == row.algorithm
                let isVerified = token.verify(with: key, algorithm: asked) != nil
                #expect(isVerified == expected, "for \(declared), asked for \(asked)")
            }
        }
    }
}
