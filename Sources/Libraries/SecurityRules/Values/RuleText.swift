internal import CLibcrypto

/// Strings by their UTF-8: Swift's own comparison takes texts for equal that are canonically equivalent, and an upstream does not.
enum RuleText {
    /// Whether both have the same bytes.
    @inline(__always)
    static func equal(_ a: String, _ b: String) -> Bool {
        let count = a.utf8.count
        guard count == b.utf8.count else { return false }
        return withBytes(a) { a in withBytes(b) { b in compare(a, b, count) == 0 } }
    }

    /// Whether a string has these bytes.
    @inline(__always)
    static func equal(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        return withBytes(text) { text in
            guard let text = text.baseAddress, let other = bytes.baseAddress else { return true }
            return memcmp(text, other, bytes.count) == 0
        }
    }

    /// Less than 0 where `a` comes first, 0 where both are the same, else more than 0: by bytes, which is the order of Unicode scalars.
    static func compare(_ a: String, _ b: String) -> Int {
        withBytes(a) { a in withBytes(b) { b in compare(a, b) } }
    }

    /// The same of bytes.
    static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        let order = compare(a, b, min(a.count, b.count))
        return order != 0 ? Int(order) : a.count - b.count
    }

    /// Lends the UTF-8 of a string, in place: strings that Swift made are contiguous.
    @inline(__always)
    static func withBytes<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = text
        return text.withUTF8(body)
    }

    /// The order of the first bytes of both, which have that many at least.
    private static func compare(
        _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, _ count: Int
    ) -> Int32 {
        guard let a = a.baseAddress, let b = b.baseAddress else { return 0 }
        return memcmp(a, b, count)
    }
}
