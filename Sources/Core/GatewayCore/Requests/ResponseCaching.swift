import HTTPWire

/// The statements of a response's fields about shared caches.
package struct ResponseCaching: Sendable, Equatable {
    /// Whether there is a `Cache-Control` field.
    package private(set) var isStated = false
    /// Whether `Cache-Control` forbids storage in shared caches.
    private var isPrivate = false
    /// Whether a field states a freshness, and whether that field is `Expires`.
    private var isFresh = false
    private var expires = false

    package init() {}

    /// Whether no shared cache stores the response with a cookie and, if there is no `Cache-Control` field, `private`.
    package var permitsCookie: Bool { !isFresh && (isPrivate || !isStated && !expires) }

    /// Reads a field.
    package mutating func read(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if ASCII.equals(name, "cache-control") {
            isStated = true
            readDirectives(String(decoding: value, as: UTF8.self).lowercased())
        } else if ASCII.equals(name, "expires") {
            expires = true
        } else if Self.isForCaches(name) {
            isFresh = true
        }
    }

    /// Reads a field.
    mutating func read(_ name: String, _ value: String) {
        Array(name.utf8).withUnsafeBytes { name in
            Array(value.utf8).withUnsafeBytes { read(name, $0) }
        }
    }

    /// Returns whether caches prefer this field to `Cache-Control`. Fields for certain caches are named like
    /// `Example-CDN-Cache-Control` (RFC 9213 section 2).
    private static func isForCaches(_ name: UnsafeRawBufferPointer) -> Bool {
        ASCII.equals(UnsafeRawBufferPointer(rebasing: name.suffix(17)), "cdn-cache-control")
            || ASCII.equals(name, "surrogate-control") || ASCII.equals(name, "x-accel-expires")
    }

    private static func statesAge(_ directive: String) -> Bool {
        directive.hasPrefix("max-age") || directive.hasPrefix("s-maxage")
    }

    private mutating func readDirectives(_ text: String) {
        for part in text.split(separator: ",") {
            let directive = part.filter { $0 != " " && $0 != "\t" }
            switch directive {
            case "private", "no-store": isPrivate = true
            case "max-age=0": break
            case "public", "immutable": isFresh = true
            // A quoted value may contain a comma. With names of fields, `private` concerns only these.
            default: isFresh = isFresh || directive.contains("\"") || Self.statesAge(directive)
            }
        }
    }
}
