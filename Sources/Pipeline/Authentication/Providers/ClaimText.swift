import JOSE

/// Texts in providers' claims that stand for something else.
package enum ClaimText {
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
    package static func isAddress(_ address: String, at domain: String) -> Bool {
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].elementsEqual(domain.utf8)
    }
}
