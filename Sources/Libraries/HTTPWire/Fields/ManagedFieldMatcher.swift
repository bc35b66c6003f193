/// Tells the fields whose names a gateway writes itself, in every spelling that a service behind it may read as such.
///
/// A name is compared with its letters in lower case and every byte that is neither letter nor digit as `-`: CGI and
/// its heirs turn all of `X-Auth-Uid`, `x_auth_uid` and `X.Auth.Uid` into one variable. Built off the request path;
/// asking costs one look at the first byte for a name whose first byte begins no entry.
public struct ManagedFieldMatcher: Sendable {
    /// One exact name or prefix, normalised.
    fileprivate struct Entry: Sendable {
        /// The first bytes, at most eight, the first one lowest, and which bits they fill.
        var word: UInt64
        var mask: UInt64
        /// The bytes after those eight.
        var rest: [UInt8]
        var length: Int
        var isPrefix: Bool
    }

    private let entries: [Entry]
    /// For each first byte as it is spelled, the entries that begin with it: a range's bounds, one after the other.
    private let groups: [UInt16]

    /// A matcher of `exact` names and `prefixes`, in any spelling. Empty ones match nothing; at most 65,535 count.
    public init(exact: [String], prefixes: [String]) {
        var built = exact.compactMap { Entry($0, isPrefix: false) } + prefixes.compactMap { Entry($0, isPrefix: true) }
        built.sort { $0.word & 0xFF < $1.word & 0xFF }
        entries = Array(built.prefix(Int(UInt16.max)))
        groups = ManagedFieldMatcher.groups(of: entries)
    }

    /// Whether the field with this name is managed.
    @inlinable
    public func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let base = name.baseAddress, name.count > 0 else { return false }
        return matches(base, count: name.count)
    }

    @usableFromInline
    func matches(_ name: UnsafeRawPointer, count: Int) -> Bool {
        let slot = Int(name.byte(0)) &* 2
        let first = Int(groups[slot])
        let end = Int(groups[slot &+ 1])
        return first < end && matches(name, count, first..<end)
    }

    private func matches(_ name: UnsafeRawPointer, _ count: Int, _ candidates: Range<Int>) -> Bool {
        let word = ManagedFieldMatcher.word(name, count)
        return entries.withUnsafeBufferPointer { entries in
            for index in candidates
            where word & entries[index].mask == entries[index].word && entries[index].covers(name, count) {
                return true
            }
            return false
        }
    }

    private static func groups(of entries: [Entry]) -> [UInt16] {
        var groups = [UInt16](repeating: 0, count: 512)
        for byte in 0...255 {
            let first = UInt64(ByteClass.normalize(UInt8(byte)))
            guard let start = entries.firstIndex(where: { $0.word & 0xFF == first }) else { continue }
            let end = entries[start...].firstIndex { $0.word & 0xFF != first } ?? entries.count
            groups[byte * 2] = UInt16(start)
            groups[byte * 2 + 1] = UInt16(end)
        }
        return groups
    }

    /// The first eight bytes of a name, normalised, the first one lowest; fewer leave zeros, which no byte becomes.
    @inline(__always)
    private static func word(_ name: UnsafeRawPointer, _ count: Int) -> UInt64 {
        var word: UInt64 = 0
        for offset in 0..<min(count, 8) {
            word |= UInt64(ByteClass.normalize(name.byte(offset))) &<< UInt64(offset &* 8)
        }
        return word
    }
}

extension ManagedFieldMatcher.Entry {
    fileprivate init?(_ name: String, isPrefix: Bool) {
        let bytes = name.utf8.map(ByteClass.normalize)
        guard !bytes.isEmpty else { return nil }
        word = 0
        for (offset, byte) in bytes.prefix(8).enumerated() { word |= UInt64(byte) << UInt64(offset * 8) }
        mask = bytes.count >= 8 ? .max : (1 << UInt64(bytes.count * 8)) - 1
        rest = Array(bytes.dropFirst(8))
        length = bytes.count
        self.isPrefix = isPrefix
    }

    /// Whether a name whose first bytes agree has the right length and agrees in the rest.
    @inline(__always)
    fileprivate func covers(_ name: UnsafeRawPointer, _ count: Int) -> Bool {
        guard isPrefix ? count >= length : count == length else { return false }
        for offset in 0..<rest.count where ByteClass.normalize(name.byte(offset &+ 8)) != rest[offset] { return false }
        return true
    }
}
