/// The id of a personal Microsoft account in Firebase, and the `oid` of its tokens: the same number, once as 16 digits and once as a GUID whose
/// first half is zero.
enum MicrosoftFederatedID {
    private static let personal = "00000000-0000-0000-"
    private static let digits = 16

    /// The id of a personal account; nil for the `oid` of another.
    static func of(object: String) -> String? {
        guard object.utf8.count == 36, object.utf8.starts(with: personal.utf8) else { return nil }
        let groups = object.dropFirst(personal.count).split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [4, 12], groups.allSatisfy(isWord) else { return nil }
        return groups.joined()
    }

    /// The `oid` of a personal account's id, whose zeros at the front may be missing; nil for what is no such id.
    static func object(of id: String) -> String? {
        guard (1...digits).contains(id.utf8.count), isWord(id[...]) else { return nil }
        let padded = String(repeating: "0", count: digits - id.utf8.count) + id
        return personal + padded.prefix(4) + "-" + padded.dropFirst(4)
    }

    /// Digits and lower-case letters: not only hexadecimal ones, since Microsoft's own example has others.
    private static func isWord(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
    }
}
