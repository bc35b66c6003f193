import Testing

@testable import JOSE

/// The edge cases of each algorithm. Each rejected row of a file has an accepted row with the same key or signature.
struct SignatureVectorTests {
    static func cases(_ verdicts: SignatureVectors.Verdict...) throws -> [SignatureCase] {
        try ["RSA-PKCS1", "RSA-PSS", "ECDSA", "Ed25519"].flatMap { file in
            try SignatureVectors.cases(file).filter { verdicts.contains($0.verdict) }
        }
    }

    @Test(arguments: try cases(.accept, .refuse))
    func `a signature has the verdict of its row`(row: SignatureCase) throws {
        let expected = row.verdict == .accept
        let key = try #require(try Keys.set(row.jwk).key(id: "k"))
        let message = [UInt8](row.signingInput.utf8)
        #expect(key.isValid(signature: row.signature, of: message, by: row.algorithm) == expected)
        let token = try UnverifiedJWS(row.token)
        #expect((token.verify(with: key, algorithm: row.algorithm) != nil) == expected)
    }

    @Test(arguments: try cases(.take))
    func `a valid key without a known signature is accepted`(row: SignatureCase) throws {
        #expect(try Keys.refusal(of: row.jwk) == nil)
    }

    @Test(arguments: ["RSA-PKCS1", "RSA-PSS", "ECDSA", "Ed25519", "Matrix"])
    func `every rejected row has an accepted sibling`(file: String) throws {
        for group in try SignatureVectors.file(file).groups {
            let accepted = group.rows.filter { $0.verdict == .accept }
            for row in group.rows where row.verdict == .refuse {
                let hasSibling = accepted.contains { $0.key == row.key || $0.signature == row.signature }
                #expect(hasSibling, "\(group.about): \(row.name)")
            }
            #expect(group.rows.contains { $0.verdict == .accept || $0.verdict == .take }, "\(group.about)")
        }
    }
}
