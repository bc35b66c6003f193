/// The form in which e-mail addresses are compared, by accounts and by the allow-list of the console.
package enum EmailAddress {
    /// The maximum size of an address, in bytes of UTF-8 (RFC 5321 section 4.5.3.1.3, without the angle brackets).
    package static let maximumSize = 254

    /// Returns the address with ASCII letters in lower case. `nil` unless it is printable ASCII with exactly one `@`
    /// between two parts. Other letters could look alike or have several encodings.
    package static func normalized(_ text: String) -> String? {
        guard (3...maximumSize).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }),
            !text.utf8.contains(UInt8(ascii: "\\"))
        else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[1].last != UInt8(ascii: ".") else {
            return nil
        }
        return text.lowercased()
    }

    /// Returns the address of the mailbox of a normalized address: without the sub-address, which begins with `+` (RFC
    /// 5233). Gmail also ignores dots, and has a second domain.
    package static func mailbox(of email: String) -> String {
        guard let at = email.firstIndex(of: "@") else { return email }
        var (name, domain) = (email[..<at], email[at...])
        if let plus = name.firstIndex(of: "+"), plus > name.startIndex { name = name[..<plus] }
        guard domain == "@gmail.com" || domain == "@googlemail.com" else { return String(name + domain) }
        domain = "@gmail.com"
        return name.filter { $0 != "." } + domain
    }
}
