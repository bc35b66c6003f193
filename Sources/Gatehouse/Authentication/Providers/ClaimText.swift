import JOSE

/// Texts in providers' claims that stand for something else.
enum ClaimText {
    /// Whether it is a GUID as Microsoft writes them: 32 hexadecimal digits in lower case, in groups of 8, 4, 4, 4 and 12.
    static func isGUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        return text.utf8.enumerated().allSatisfy { place, byte in
            switch place {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: isHexadecimal(byte)
            }
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// The Booleans that `"true"` and `"false"` stand for, of those of `names` that are such strings.
    static func booleans(_ names: [String], in claims: JSONValue) -> [(name: String, json: [UInt8])] {
        names.compactMap { name in
            guard let claim = claims[name] else { return nil }
            if claim.equals("true") { return (name, Array("true".utf8)) }
            if claim.equals("false") { return (name, Array("false".utf8)) }
            return nil
        }
    }

    /// Whether an address has exactly this domain: one `@`, something before it, after it the domain's bytes and no more.
    static func isAddress(_ address: String, at domain: String) -> Bool {
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].elementsEqual(domain.utf8)
    }
}
