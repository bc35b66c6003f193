import Testing

@testable import JOSE

/// The edges of each algorithm, row by row. A row that is refused stands in its file beside one that is accepted with
/// the same key or the same signature.
@Suite("signatures on the edge")
struct SignatureVectorTests {
    @Test(
        "RSASSA-PKCS1-v1_5 ends in the verdict of its row",
        arguments: try SignatureVectors.cases("RSA-PKCS1", .accept, .refuse))
    func pkcs1(row: SignatureCase) throws {
        try check(row)
    }

    @Test(
        "RSASSA-PSS ends in the verdict of its row", arguments: try SignatureVectors.cases("RSA-PSS", .accept, .refuse))
    func pss(row: SignatureCase) throws {
        try check(row)
    }

    @Test("ECDSA ends in the verdict of its row", arguments: try SignatureVectors.cases("ECDSA", .accept, .refuse))
    func ecdsa(row: SignatureCase) throws {
        try check(row)
    }

    @Test("Ed25519 ends in the verdict of its row", arguments: try SignatureVectors.cases("Ed25519", .accept, .refuse))
    func ed25519(row: SignatureCase) throws {
        try check(row)
    }

    /// The signature by itself, and the token with the key found by its `kid` in a set.
    private func check(_ row: SignatureCase) throws {
        let expected = row.verdict == .accept
        let key = try #require(try Keys.set(row.jwk).key(id: "k"))
        let message = [UInt8](row.signingInput.utf8)
        #expect(key.isValid(signature: row.signature, of: message, by: row.algorithm) == expected)
        let token = try UnverifiedJWS(row.token)
        #expect((token.verify(with: key, algorithm: row.algorithm) != nil) == expected)
    }

    @Test(
        "every row that is refused has a sibling that is accepted",
        arguments: ["RSA-PKCS1", "RSA-PSS", "ECDSA", "Ed25519", "Matrix"])
    func siblings(file: String) throws {
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
