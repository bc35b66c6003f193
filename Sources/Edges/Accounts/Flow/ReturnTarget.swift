package import GatewayConfiguration
import TextCoding

/// The pages and apps to which a flow may return.
///
/// The URL of an app is compared with the configured ones as a whole. Of pages, the accepted texts are a subset of
/// those that browsers parse in the same way: a path that begins with one `/`, or an absolute URL that begins with a
/// permitted origin, byte for byte. The location is written from the parsed parts and is always absolute, so that a
/// browser has nothing to resolve.
package struct ReturnTargets: Sendable {
    /// The maximum size of a text and of the location that it names, in bytes.
    static let maximumSize = 2_048
    /// The first segment of the gateway's own paths. They are no targets, because flows would start each other. The
    /// sign-in page starts none.
    private static let ownSegment = ".gatehouse"

    /// The gateway's origin, in the browsers' spelling.
    let publicOrigin: String
    /// All permitted origins.
    private let origins: [String]
    /// Whether the sign-in page is a target.
    private let includesPage: Bool
    /// The URLs of apps.
    private let apps: [Configuration.AppURL]

    package init(
        publicOrigin: String, others: [String], includesPage: Bool = false, apps: [Configuration.AppURL] = []
    ) {
        self.publicOrigin = publicOrigin
        origins = [publicOrigin] + others
        self.includesPage = includesPage
        self.apps = apps
    }

    /// The target without any other choice.
    var fallback: ReturnTarget { ReturnTarget(base: publicOrigin + "/", query: nil, fragment: nil) }

    /// Returns the target that a client requests.
    func requested(_ text: String) throws(AccountDenial) -> ReturnTarget {
        guard let target = resolve(text) else {
            throw .malformed(
                "Send \"return_to\" as a path, a URL of an origin in accounts.return_to, or a URL in accounts.apps.")
        }
        return target
    }

    /// Returns whether a target is the sign-in page.
    func isPage(_ target: ReturnTarget) -> Bool { includesPage && target.base == publicOrigin + SignInPage.path }

    /// Returns the URL of an app that a text names. `nil` if no such URL is configured.
    func app(_ text: String) -> ReturnTarget? {
        guard apps.contains(where: { $0.matches(text) }) else { return nil }
        return ReturnTarget(base: text, query: nil, fragment: nil)
    }

    /// Returns the page that a text names. `nil` if the text is not permitted.
    func resolve(_ text: String) -> ReturnTarget? {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumSize).contains(bytes.count),
            bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        guard let target = target(bytes), target.location.utf8.count <= Self.maximumSize else { return nil }
        return target
    }

    private func target(_ bytes: [UInt8]) -> ReturnTarget? {
        if bytes[0] == UInt8(ascii: "/") { return target(bytes[...], at: publicOrigin) }
        for origin in origins where bytes.starts(with: origin.utf8) {
            let rest = bytes.dropFirst(origin.utf8.count)
            guard let next = rest.first else { return target([UInt8(ascii: "/")], at: origin) }
            // Otherwise the origin is only the beginning of another host or port, or of a user.
            guard "/?#".utf8.contains(next) else { continue }
            return target(next == UInt8(ascii: "/") ? rest : [UInt8(ascii: "/")] + rest, at: origin)
        }
        return nil
    }

    private func target(_ text: ArraySlice<UInt8>, at origin: String) -> ReturnTarget? {
        let (beforeFragment, fragment) = Self.split(text, at: UInt8(ascii: "#"))
        let (path, query) = Self.split(beforeFragment, at: UInt8(ascii: "?"))
        guard let path = normalized(path) else { return nil }
        return ReturnTarget(
            base: origin + path, query: query.map { Self.escaped($0) }, fragment: fragment.map { Self.escaped($0) })
    }

    private static func split(
        _ text: ArraySlice<UInt8>, at separator: UInt8
    ) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        guard let index = text.firstIndex(of: separator) else { return (text, nil) }
        return (text[..<index], text[index...].dropFirst())
    }

    /// Returns a path without dot segments (WHATWG URL, section 4.4). `nil` if it begins with two slashes or is one of
    /// the gateway's own.
    private func normalized(_ path: ArraySlice<UInt8>) -> String? {
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (place, segment) in segments.enumerated() {
            let isLast = place == segments.count - 1
            switch Self.dots(segment) {
            case 1: if isLast { kept.append([]) }
            case 2:
                _ = kept.popLast()
                if isLast { kept.append([]) }
            default: kept.append(segment)
            }
        }
        if kept.count > 1, kept[0].isEmpty { return nil }
        if includesPage, kept.count == 2, kept[0].elementsEqual(Self.ownSegment.utf8), kept[1].isEmpty {
            return SignInPage.path
        }
        let first = kept.first.flatMap { PercentEncoding.decodedText($0) } ?? ""
        guard kept.isEmpty || PercentEncoding.decoded(kept[0]) != nil, first.lowercased() != Self.ownSegment,
            !first.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
        else { return nil }
        return "/" + kept.map(Self.escaped).joined(separator: "/")
    }

    /// Returns the number of dots of a dot segment, also if they are escaped. 0 for any other segment.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        switch String(decoding: segment, as: UTF8.self).lowercased().replacing("%2e", with: ".") {
        case ".": 1
        case "..": 2
        default: 0
        }
    }

    /// Escapes the bytes that a browser would escape or that have a meaning in HTML.
    private static func escaped(_ text: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in text {
            if byte >= 0x80 || "\"<>`{}|^'".utf8.contains(byte) {
                PercentEncoding.appendEscape(byte, to: &result)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// A page or an app to which a flow returns: an absolute URL of visible ASCII.
struct ReturnTarget: Sendable, Equatable {
    fileprivate let base: String
    fileprivate var query: String?
    fileprivate let fragment: String?

    fileprivate init(base: String, query: String?, fragment: String?) {
        self.base = base
        self.query = query
        self.fragment = fragment
    }

    /// The absolute URL.
    var location: String { base + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "") }

    /// Returns the target with further parameters in its query.
    func adding(_ parameters: [(name: String, value: String)]) -> ReturnTarget {
        var text = Array((query ?? "").utf8)
        for (name, value) in parameters { FormEncoding.append(name, value.utf8, to: &text) }
        var copy = self
        copy.query = text.isEmpty ? query : String(decoding: text, as: UTF8.self)
        return copy
    }
}
