import Testing

@testable import JOSE

/// Keys that look usable. Each stands in its file beside one that is taken.
@Suite("keys on the edge")
struct KeyVectorTests {
    @Test("an RSA key that is unfit is left out", arguments: try SignatureVectors.cases("RSA-PKCS1", .skip))
    func rsa(row: SignatureCase) throws {
        try check(row)
    }

    @Test("a point that is unfit is left out", arguments: try SignatureVectors.cases("ECDSA", .skip))
    func ec(row: SignatureCase) throws {
        try check(row)
    }

    @Test("an Ed25519 key that is unfit is left out", arguments: try SignatureVectors.cases("Ed25519", .skip))
    func ed25519(row: SignatureCase) throws {
        try check(row)
    }

    @Test(
        "a key that is fit is taken, though nobody knows a signature of it",
        arguments: try SignatureVectors.cases("ECDSA", .take) + SignatureVectors.cases("Ed25519", .take))
    func taken(row: SignatureCase) throws {
        #expect(try Keys.refusal(of: row.jwk) == nil)
    }

    private func check(_ row: SignatureCase) throws {
        let set = try Keys.set(row.jwk)
        #expect(set.keys.isEmpty)
        #expect(set.skipped == [SkippedKey(keyID: "k", reason: try #require(row.reason))])
    }
}
