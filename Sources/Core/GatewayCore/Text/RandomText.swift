import TextCoding

/// Unpredictable names from the system's generator.
package enum RandomText {
    /// The 64 symbols of nonces in Firebase's guides: letters without `W`, digits, and `-._`.
    static let nonceAlphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVXYZabcdefghijklmnopqrstuvwxyz-._".utf8)
    static let nonceLength = 32

    /// Returns a nonce of 192 bits. With 64 symbols, six bits of a byte select one without bias.
    package static func nonce() -> String {
        var generator = SystemRandomNumberGenerator()
        let symbols = (0..<nonceLength).map { _ in
            nonceAlphabet[Int(UInt8.random(in: .min ... .max, using: &generator) & 0x3F)]
        }
        return String(decoding: symbols, as: UTF8.self)
    }

    /// Returns whether the text has the form of a nonce.
    package static func isNonce(_ text: String) -> Bool {
        text.utf8.count == nonceLength && text.utf8.allSatisfy(nonceAlphabet.contains)
    }

    /// Returns 128 bits as 32 lower-case hexadecimal digits, for uids, sessions and token ids.
    package static func name() -> String {
        var generator = SystemRandomNumberGenerator()
        return HexDigits.text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
