/// The name of a key source for logs and the admin API: its URL without what may be secret.
package enum KeySource {
    /// `url` without user, password, query and fragment.
    package static func name(of url: String) -> String {
        let shown = url.prefix { $0 != "?" && $0 != "#" }
        guard let scheme = shown.firstRange(of: "://") else { return String(shown) }
        let authority = shown[scheme.upperBound...].prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return String(shown) }
        return String(shown[..<scheme.upperBound] + shown[shown.index(after: at)...])
    }
}
