import CivilCalendar
import JOSE
import TextCoding

/// A request without a body, which Signature Version 4 of AWS signs (IAM User Guide, "Create a signed AWS API
/// request").
package struct AWSRequest: Sendable {
    /// The day, the region and the service for which a signature is valid.
    package struct Scope: Sendable {
        /// The value of `x-amz-date`.
        package let date: String
        let region: String
        let service: String

        /// - Parameter now: The time of the signature, in seconds since 1970.
        package init(now: Int64, region: String, service: String) {
            date = RFC3339.text(now).filter { $0 != "-" && $0 != ":" }
            (self.region, self.service) = (region, service)
        }

        fileprivate var parts: [String] { [String(date.prefix(8)), region, service, "aws4_request"] }
        fileprivate var text: String { parts.joined(separator: "/") }
    }

    /// The hash of an empty body (SHA-256).
    private static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let algorithm = "AWS4-HMAC-SHA256"

    package var method: String
    /// The normalized and encoded path.
    package var path = "/"
    /// The parameters, not encoded.
    package var query: [(name: String, value: String)] = []
    /// The fields that are signed, at least `host`. Names are in lower case, values have no white space at their ends.
    package var fields: [(name: String, value: String)]

    package init(
        method: String, query: [(name: String, value: String)] = [], fields: [(name: String, value: String)]
    ) {
        (self.method, self.query, self.fields) = (method, query, fields)
    }

    /// Returns the value of `Authorization`. `nil` if libcrypto fails.
    ///
    /// - Parameter scope: Its date is also the field `x-amz-date`.
    package func authorization(by keys: AWSKeys, _ scope: Scope) -> String? {
        signature(by: keys, scope).map { signature in
            "\(Self.algorithm) Credential=\(keys.id)/\(scope.text), SignedHeaders=\(signedNames), Signature=\(signature)"
        }
    }

    /// Returns the encoded query of a request that needs no further field but `host`. `nil` if libcrypto fails.
    ///
    /// - Parameter lifetime: How long the query is valid, in seconds.
    package func signedQuery(by keys: AWSKeys, _ scope: Scope, lifetime: Int) -> String? {
        var request = self
        request.query += [
            ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", "\(keys.id)/\(scope.text)"),
            ("X-Amz-Date", scope.date), ("X-Amz-Expires", "\(lifetime)"), ("X-Amz-SignedHeaders", signedNames),
        ]
        if let token = keys.sessionToken { request.query.append(("X-Amz-Security-Token", token)) }
        return request.signature(by: keys, scope).map { "\(request.encodedQuery)&X-Amz-Signature=\($0)" }
    }

    private func signature(by keys: AWSKeys, _ scope: Scope) -> String? {
        let lines = fields.sorted { $0.name < $1.name }.map { "\($0.name):\($0.value)\n" }.joined()
        let canonical = "\(method)\n\(path)\n\(encodedQuery)\n\(lines)\n\(signedNames)\n\(Self.emptyHash)"
        guard let hash = SHA256Hasher()?.hash(Array(canonical.utf8)), let key = Self.key(keys.secret, scope) else {
            return nil
        }
        let text = "\(Self.algorithm)\n\(scope.date)\n\(scope.text)\n\(HexDigits.text(of: hash.bytes))"
        return HMACSHA256.authenticate(Array(text.utf8), secret: key).map { HexDigits.text(of: $0) }
    }

    private var signedNames: String { fields.map(\.name).sorted().joined(separator: ";") }

    /// The encoded parameters, sorted by their encoded names and values.
    package var encodedQuery: String {
        let encoded = { (text: String) in String(decoding: PercentEncoding.encoded(text.utf8), as: UTF8.self) }
        return query.map { (encoded($0.name), encoded($0.value)) }.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }

    /// Derives the key for a scope. `nil` if libcrypto fails.
    static func key(_ secret: Secret, _ scope: Scope) -> [UInt8]? {
        var key: [UInt8]? = secret.withBytes { Array("AWS4".utf8) + $0 }
        for part in scope.parts { key = key.flatMap { HMACSHA256.authenticate(Array(part.utf8), secret: $0) } }
        return key
    }
}
