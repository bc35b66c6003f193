import TextCoding

/// Names that nobody can guess, from the system's generator.
package enum RandomText {
    /// The 64 symbols of nonces in Firebase's guides: letters without `W`, digits, and `-._`.
    static let nonceAlphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVXYZabcdefghijklmnopqrstuvwxyz-._".utf8)
    static let nonceLength = 32

    /// 192 bits. There are 64 symbols, so that six bits of a byte choose one without a bias.
    package static func nonce() -> String {
        var generator = SystemRandomNumberGenerator()
        let symbols = (0..<nonceLength).map { _ in
            nonceAlphabet[Int(UInt8.random(in: .min ... .max, using: &generator) & 0x3F)]
        }
        return String(decoding: symbols, as: UTF8.self)
    }

    /// Whether it can be a nonce of ours.
    package static func isNonce(_ text: String) -> Bool {
        text.utf8.count == nonceLength && text.utf8.allSatisfy(nonceAlphabet.contains)
    }

    /// 128 bits as 32 lower-case hexadecimal digits: a uid, a session, a token's id.
    package static func name() -> String {
        var generator = SystemRandomNumberGenerator()
        return HexDigits.text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
