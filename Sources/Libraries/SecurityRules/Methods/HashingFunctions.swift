internal import CLibcrypto

enum HashingFunctions {
    static func call(
        _ builtin: Builtin, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        let bytes: [UInt8]
        switch arguments[0] {
        case .bytes(let value):
            try work.take(value.count)
            bytes = value
        case .string(let text):
            try work.take(text.utf8.count)
            bytes = Array(text.utf8)
        default: throw arguments[0].isNotWhatIsTaken
        }
        return try .bytes(hash(bytes, builtin))
    }

    private static func hash(_ bytes: [UInt8], _ builtin: Builtin) throws(RuleFailure) -> [UInt8] {
        switch builtin {
        case .hashingMD5: try digest(bytes, EVP_md5())
        case .hashingSHA256: try digest(bytes, EVP_sha256())
        case .hashingCRC32: bigEndian(CRC32.ieee.checksum(bytes))
        default: bigEndian(CRC32.castagnoli.checksum(bytes))
        }
    }

    private static func digest(_ bytes: [UInt8], _ algorithm: OpaquePointer?) throws(RuleFailure) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        // Fails if the policy of libcrypto forbids the algorithm, such as MD5.
        guard EVP_Digest(bytes, bytes.count, &digest, &count, algorithm, nil) == 1, count <= digest.count else {
            throw RuleFailure(.invalidArgument)
        }
        return Array(digest.prefix(Int(count)))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

/// A reflected 32-bit cyclic redundancy check with a table of 256 entries.
struct CRC32: Sendable {
    /// The CRC of Ethernet and zip files (ISO/IEC/IEEE 8802-3, 3.2.9).
    static let ieee = CRC32(reflectedPolynomial: 0xEDB8_8320)
    /// The CRC of iSCSI (RFC 3720, 12.1).
    static let castagnoli = CRC32(reflectedPolynomial: 0x82F6_3B78)

    private let table: [UInt32]

    private init(reflectedPolynomial polynomial: UInt32) {
        table = (0..<256).map { index in
            (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
        }
    }

    func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
    }
}
