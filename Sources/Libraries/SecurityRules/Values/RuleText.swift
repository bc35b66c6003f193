internal import CLibcrypto

/// Comparison of strings by UTF-8. Swift compares by canonical equivalence, but upstreams do not.
enum RuleText {
    /// Returns whether both strings have the same bytes.
    @inline(__always)
    static func equal(_ a: String, _ b: String) -> Bool {
        let count = a.utf8.count
        guard count == b.utf8.count else { return false }
        return withBytes(a) { a in withBytes(b) { b in compare(a, b, count) == 0 } }
    }

    /// Returns whether a string has these bytes.
    @inline(__always)
    static func equal(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        return withBytes(text) { text in
            guard let text = text.baseAddress, let other = bytes.baseAddress else { return true }
            return memcmp(text, other, bytes.count) == 0
        }
    }

    /// Returns a negative number if `a` is first, 0 if both are equal, and a positive number otherwise. The order of
    /// bytes is that of Unicode scalars.
    static func compare(_ a: String, _ b: String) -> Int {
        withBytes(a) { a in withBytes(b) { b in compare(a, b) } }
    }

    /// Compares bytes in the same way.
    static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        let order = compare(a, b, min(a.count, b.count))
        return order != 0 ? Int(order) : a.count - b.count
    }

    /// Calls `body` with the UTF-8 of a string, in place, since strings created by Swift are contiguous.
    @inline(__always)
    static func withBytes<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = text
        return text.withUTF8(body)
    }

    /// Compares the first `count` bytes. Both must have at least that many.
    private static func compare(
        _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, _ count: Int
    ) -> Int32 {
        guard let a = a.baseAddress, let b = b.baseAddress else { return 0 }
        return memcmp(a, b, count)
    }
}
