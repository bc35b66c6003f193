import Testing

@testable import JOSE

struct AlgorithmMatrixTests {
    static func rows() throws -> [SignatureCase] { try SignatureVectors.cases("Matrix") }

    @Test func `the file has each pair of the ten algorithms`() throws {
        #expect(try Self.rows().count == Algorithm.allCases.count * Algorithm.allCases.count)
    }

    @Test(arguments: try rows())
    func `a signature verifies only with its own key and algorithm`(row: SignatureCase) throws {
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

    @Test(arguments: try rows())
    func `a key that names its algorithm verifies signatures of that algorithm only`(row: SignatureCase) throws {
        let token = try UnverifiedJWS(row.token)
        for declared in Algorithm.allCases {
            let jwk = row.jwk.dropLast() + #","alg":"\#(declared.rawValue)"}"#
            guard let key = try Keys.set(String(jwk)).key(id: "k") else { continue }
            for algorithm in Algorithm.allCases {
                let expected = row.verdict == .accept && declared == row.algorithm && algorithm == declared
                let isVerified = token.verify(with: key, algorithm: algorithm) != nil
                #expect(isVerified == expected, "a key for \(declared), verified as \(algorithm)")
            }
        }
    }
}
