import JOSE

extension Mutation {
    static let signatures: [Mutation] =
        [
            Signer.second, .retired, .forged, .elliptic, .otherwise(.ps256), .otherwise(.rs384), .otherwise(.rs512),
            .publishedSecret,
        ]
        .map { signer in Mutation("signed by \(signer)") { $0.signer = signer } } + named
        + rawEdits.list.map { edit in Mutation("signature \(edit.name)") { $0.signature.append(edit.edit) } }

    /// Signatures by the algorithm and key that the header names.
    private static let named: [Mutation] = [
        signed("PS256", .otherwise(.ps256)), signed("RS384", .otherwise(.rs384)), signed("RS512", .otherwise(.rs512)),
        signed("HS256", .publishedSecret), signed("ES256", .elliptic), signed("ES256", .elliptic, as: "key-elliptic"),
        signed("RS256", .second, as: "key-2"), signed("RS256", .second, as: OracleKeys.accentedID),
        signed("RS256", .second, as: "cle\u{301}"), signed("RS256", .retired, as: "key-retired"),
        signed("RS256", .elliptic, as: "key-elliptic"), signed("RS256", .first, as: "key-elliptic"),
    ]

    private static func signed(_ algorithm: String, _ signer: Signer, as id: String = "key-1") -> Mutation {
        Mutation("\(algorithm) by \(signer) as \(id)") {
            $0.header["alg"] = "\"\(algorithm)\""
            $0.header["kid"] = "\"\(id)\""
            $0.signer = signer
        }
    }

    private static let rawEdits = NamedEdits { edits in
        for bit in [0, 1, 7, 8, 1023, 1024, 2040, 2047] { edits.add("with bit \(bit) turned") { turned(bit, in: $0) } }
        edits.add("empty") { _ in [] }
        edits.add("without its first byte") { Array($0.dropFirst()) }
        edits.add("without its last byte") { $0.dropLast() }
        edits.add("with a zero before") { [0] + $0 }
        edits.add("with a zero after") { $0 + [0] }
        edits.add("twice") { $0 + $0 }
        edits.add("backwards") { $0.reversed() }
        for byte in [0, 1, 0xFF] as [UInt8] {
            edits.add("of bytes \(byte)") { [UInt8](repeating: byte, count: $0.count) }
        }
        edits.add("one") { [UInt8](repeating: 0, count: max($0.count - 1, 0)) + [1] }
        edits.add("a byte") { _ in [1] }
    }

    @Sendable private static func turned(_ bit: Int, in bytes: [UInt8]) -> [UInt8] {
        guard bit / 8 < bytes.count else { return bytes }
        var bytes = bytes
        bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        return bytes
    }
}
