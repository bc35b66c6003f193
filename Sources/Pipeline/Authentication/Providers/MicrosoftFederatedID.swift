/// The conversion between Firebase's ID of a personal Microsoft account and the `oid` of its tokens. Both are the same
/// number: once as 16 digits, once as a GUID whose first half is zero.
enum MicrosoftFederatedID {
    private static let personal = "00000000-0000-0000-"
    private static let digits = 16

    /// Returns the ID of a personal account. `nil` if the `oid` belongs to another kind of account.
    static func of(object: String) -> String? {
        guard object.utf8.count == 36, object.utf8.starts(with: personal.utf8) else { return nil }
        let groups = object.dropFirst(personal.count).split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [4, 12], groups.allSatisfy(isWord) else { return nil }
        return groups.joined()
    }

    /// Returns the `oid` of a personal account's ID, which may lack leading zeros. `nil` if the text is not such an ID.
    static func object(of id: String) -> String? {
        guard (1...digits).contains(id.utf8.count), isWord(id[...]) else { return nil }
        let padded = String(repeating: "0", count: digits - id.utf8.count) + id
        return personal + padded.prefix(4) + "-" + padded.dropFirst(4)
    }

    /// Accepts digits and all lower-case letters, because Microsoft's own example contains non-hexadecimal ones.
    private static func isWord(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
    }
}
