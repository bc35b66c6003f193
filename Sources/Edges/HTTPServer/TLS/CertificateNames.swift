/// Which of a listener's certificates a client asks for by the name it connects to (SNI, RFC 6066 section 3). It says which certificate is
/// shown, and nothing else: what a request may do follows from its `Host` and route.
struct CertificateNames: Sendable, Hashable {
    private var exact: [String: Int] = [:]
    /// By what follows the `*` of a wildcard, as in `.example.com`.
    private var wildcards: [String: Int] = [:]

    /// - Parameter names: those of each certificate, as its subject alternative names spell them. Of equal ones the first counts.
    init(_ names: [[String]]) {
        for (index, names) in names.enumerated() {
            for name in names.map(Self.canonical) {
                if name.hasPrefix("*.") {
                    let parent = String(name.dropFirst())
                    wildcards[parent] = wildcards[parent] ?? index
                } else {
                    exact[name] = exact[name] ?? index
                }
            }
        }
    }

    /// The certificate for a name; nil for one that no certificate has.
    subscript(_ name: String) -> Int? {
        let name = Self.canonical(name)
        if let index = exact[name] { return index }
        // A wildcard stands for one whole label (RFC 9525 section 6.3).
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return nil }
        return wildcards[String(name[dot...])]
    }

    /// In lower case, without the root's dot.
    private static func canonical(_ name: String) -> String {
        let lower = String(decoding: name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }
}
