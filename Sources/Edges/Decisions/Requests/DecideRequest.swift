import GatewayCore
import HTTPWire
package import JOSE
package import Routing

/// The body of `POST /decide`: the request to decide, or a list of requests, as JSON.
package enum DecideRequest {
    /// The maximum size of a body, in bytes.
    package static let bodyLimit = 65_536
    /// The maximum number of requests in a list.
    package static let countLimit = 64
    /// The maximum number of JSON values in the description of one request. Within a list, it bounds the average and
    /// the fields of `headers`.
    private static let valueLimit = 256
    private static let limits = JSONLimits(size: bodyLimit, depth: 4, members: valueLimit)
    private static let listLimits = JSONLimits(size: bodyLimit, depth: 5, members: 1 + countLimit * valueLimit)
    private static let names = ["method", "url", "headers", "token", "client"]

    /// The content of a body. Its requests are not described yet.
    package enum Body {
        case request(JSONValue)
        /// At most ``countLimit`` requests, and at least one.
        case list([JSONValue])
    }

    /// Reads a body.
    package static func body(_ bytes: [UInt8]) throws(DescriptionError) -> Body {
        let isList = bytes.first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) } == UInt8(ascii: "[")
        let document = try? JSONDocument(bytes, limits: isList ? listLimits : limits)
        guard isList else {
            guard let root = document?.root, root.kind == .object else {
                throw DescriptionError("the body is not one JSON object without duplicate members")
            }
            return .request(root)
        }
        guard let root = document?.root, root.kind == .array, (1...countLimit).contains(root.count) else {
            throw DescriptionError(
                "the body is not a list of 1 to \(countLimit) JSON objects without duplicate members")
        }
        return .list(Array(root.elements))
    }

    /// Returns the described request.
    ///
    /// - Parameter credentialHeader: The field of the Bearer token. `nil` if absent.
    package static func read(
        _ root: JSONValue, _ fields: DecisionFields, credentialHeader: String?, scratch: PathScratch
    ) throws(DescriptionError) -> OriginalRequest {
        guard root.kind == .object else { throw DescriptionError("the element is not a JSON object") }
        for (name, _) in root.members where !names.contains(name) {
            throw DescriptionError("the description has a member other than \(names.joined(separator: ", "))")
        }
        let method = try text("method", root, default: "GET")
        guard Array(method.utf8).withUnsafeBytes({ ASCII.isToken($0) }) else {
            throw DescriptionError("method is not a method")
        }
        let url = try text("url", root, default: nil)
        let (isSecure, host, target) = try split(url)
        var head = HeadText(capacity: 1024)
        head.append("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n")
        var count = 4
        if let token = root["token"] {
            guard let text = token.string, let name = credentialHeader else {
                throw DescriptionError("token is not a text, or the gateway accepts no Bearer tokens")
            }
            try check(value: text, of: "token")
            head.append("\(name): Bearer \(text)\r\n")
        }
        if let headers = root["headers"] { try append(headers, fields, to: &head, &count) }
        head.append("\r\n")
        let client = PeerAddress(try address(in: root), isSecure: isSecure, through: [])
        return try OriginalRequestReader(fields, scratch: scratch).parse(head.bytes, fieldCount: count, client)
    }

    private static func append(
        _ headers: JSONValue, _ fields: DecisionFields, to head: inout HeadText, _ count: inout Int
    ) throws(DescriptionError) {
        guard headers.kind == .object, headers.count < valueLimit else {
            throw DescriptionError("headers is not an object of texts")
        }
        for (name, value) in headers.members {
            let isKept = Array(name.utf8).withUnsafeBytes { bytes in
                ASCII.isToken(bytes) && !fields.removes(bytes) && !isOfConnection(bytes)
            }
            guard let text = value.string else { throw DescriptionError("headers is not an object of texts") }
            guard isKept else { throw DescriptionError("headers has a name that clients cannot set") }
            try check(value: text, of: "headers")
            head.append("\(name): \(text)\r\n")
            count += 1
        }
    }

    private static func check(value: String, of name: StaticString) throws(DescriptionError) {
        guard !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw DescriptionError("\(name) has a control character")
        }
    }

    private static func isOfConnection(_ name: UnsafeRawBufferPointer) -> Bool {
        switch FieldNameClassifier.kind(of: name) {
        case .host, .contentLength, .expect: true
        case let kind: kind.isHopByHop
        }
    }

    private static func split(
        _ url: String
    ) throws(DescriptionError) -> (isSecure: Bool, host: Substring, target: Substring) {
        let isSecure = url.hasPrefix("https://")
        guard isSecure || url.hasPrefix("http://") else { throw DescriptionError("url is not an http or https URL") }
        let rest = url.dropFirst(isSecure ? 8 : 7)
        guard let slash = rest.firstIndex(of: "/") else { throw DescriptionError("url has no path") }
        return (isSecure, rest[..<slash], rest[slash...])
    }

    private static func address(in root: JSONValue) throws(DescriptionError) -> IPAddress? {
        guard let client = root["client"] else { return nil }
        guard let address = client.string.flatMap({ IPAddress($0) }) else {
            throw DescriptionError("client is not an address")
        }
        return address
    }

    private static func text(
        _ name: String, _ root: JSONValue, default value: String?
    ) throws(DescriptionError) -> String {
        guard let text = root[name] == nil ? value : root[name]?.string else {
            throw DescriptionError("\(name) is not a text")
        }
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw DescriptionError("\(name) has a space or a control character")
        }
        return text
    }
}
