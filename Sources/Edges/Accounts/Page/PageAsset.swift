import GatewayCore
import JOSE
import TextCoding

/// A file of the sign-in page, with its response fields.
package struct PageAsset: Sendable {
    /// The policy of all files. An image in SVG may have styles, but runs no script if a browser opens it as a page.
    private static let policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
    /// The value of `Cache-Control` of all files.
    package static let caching = "public, max-age=300"

    /// The name after `/.gatehouse/assets/`.
    let name: String
    package let contentType: String
    package let body: [UInt8]
    /// The entity tag, in quotes. `nil` if libcrypto cannot hash.
    package let tag: String?

    init(name: String, contentType: String, body: [UInt8]) {
        self.name = name
        self.contentType = contentType
        self.body = body
        tag = (SHA256Hasher()?.hash(body)).map { "\"\(HexDigits.text(of: Array($0.bytes.prefix(8))))\"" }
    }

    package var path: String { "/.gatehouse/assets/\(name)" }

    /// The address in the page. It changes with the content, so that no page uses the file of another version.
    var address: String { tag.map { "\(path)?v=\($0.dropFirst().dropLast())" } ?? path }

    /// The response fields in addition to the fields of every response.
    package var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = [
            ("Content-Security-Policy", Self.policy), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ]
        if let tag { fields.append(("ETag", tag)) }
        return fields
    }

    /// Returns the media type of an image that the page can show, by its first bytes. `nil` for other content.
    package static func imageType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let text = content.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        return text.starts(with: "<svg".utf8) || text.starts(with: "<?xml".utf8) ? "image/svg+xml" : nil
    }
}
