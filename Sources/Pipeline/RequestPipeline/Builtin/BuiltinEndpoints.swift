import GatewayCore
import HTTPWire

/// The endpoints that the gateway serves itself under `/.gatehouse/`, and the demo page. No request to this prefix is
/// forwarded.
package final class BuiltinEndpoints: Sendable {
    /// An account endpoint with its path.
    package struct Call: Sendable {
        package let endpoint: AccountEndpoint
        package let path: [UInt8]
        package let plan: RoutePlan
        /// Creates an endpoint. `provider` is the ID at the end of the path, if the endpoint has one.
        package init(endpoint: AccountEndpoint, provider: String = "", plan: RoutePlan) {
            self.endpoint = endpoint
            path = Array((endpoint.path + provider).utf8)
            self.plan = plan
        }

        private static let beforeID = Array("/.gatehouse/account/sessions/".utf8)
        private static let afterID = Array("/revoke".utf8)

        /// Returns whether a request's path is that of the endpoint.
        func matches(_ path: UnsafeRawBufferPointer) -> Bool {
            guard endpoint == .revokeSession else { return path.elementsEqual(self.path) }
            return path.count == Self.beforeID.count + Self.sizeOfID + Self.afterID.count
                && path.starts(with: Self.beforeID) && path.suffix(Self.afterID.count).elementsEqual(Self.afterID)
        }

        /// The size of a session's public ID, in bytes.
        private static let sizeOfID = 32

        /// Returns the ID of a session in a path that matches.
        package static func sessionID(in path: UnsafeRawBufferPointer) -> String {
            String(decoding: path.dropFirst(beforeID.count).prefix(sizeOfID), as: UTF8.self)
        }
    }

    /// A file of the sign-in page.
    package struct Asset: Sendable {
        package let path: [UInt8]
        /// The entity tag, in quotes. `nil` if clients always receive the whole file.
        let tag: [UInt8]?

        package init(path: String, tag: String?) {
            self.path = Array(path.utf8)
            self.tag = tag.map { Array($0.utf8) }
        }

        /// Returns whether the file has the version that a request names by its query `v=TAG`. The page of another
        /// version, from a gateway that is upgraded at another time, must not use this file.
        func isVersion(in request: RequestView) -> Bool {
            guard let query = request.head.query?.bytes(in: request.bytes), !query.isEmpty else { return true }
            guard let tag, tag.count >= 2, query.starts(with: "v=".utf8) else { return false }
            return query.dropFirst(2).elementsEqual(tag.dropFirst().dropLast())
        }

        /// Returns whether a request names the current tag, so that the client has the file (RFC 9110 section 13.1.2).
        func isCurrent(in request: RequestView) -> Bool {
            guard let tag else { return false }
            return (0..<request.fields.count).contains { index in
                let field = request.fields[index]
                guard ASCII.equals(field.name.bytes(in: request.bytes), "if-none-match") else { return false }
                return field.value.bytes(in: request.bytes).split(separator: UInt8(ascii: ",")).contains { element in
                    let listed = element.drop { $0 == 0x20 || $0 == 0x09 }
                    let opaque = listed.starts(with: "W/".utf8) ? listed.dropFirst(2) : listed
                    return opaque.starts(with: tag) && opaque.dropFirst(tag.count).allSatisfy { $0 == 0x20 || $0 == 9 }
                }
            }
        }
    }

    /// The prefix of all of these endpoints.
    package static let prefix = Array("/.gatehouse/".utf8)
    /// The path of the public keys of assertions and session cookies.
    package static let keysPath = Array("/.gatehouse/jwks.json".utf8)

    /// The account endpoints. Empty without accounts.
    package let calls: [Call]
    /// The files of the sign-in page. Empty without the page.
    package let assets: [Asset]
    /// Whether the demo page is served, at `/`, and at the prefix itself without a sign-in page.
    package let hasPage: Bool

    package init(calls: [Call], assets: [Asset] = [], hasPage: Bool) {
        self.calls = calls
        self.assets = assets
        self.hasPage = hasPage
    }

    /// Returns whether a path has the prefix.
    @inline(__always)
    static func mayHold(_ path: UnsafeRawBufferPointer) -> Bool {
        path.count >= prefix.count && path[1] == UInt8(ascii: ".") && path.starts(with: prefix)
    }

    /// Returns the endpoint of a path. `nil` if no endpoint matches.
    func endpoint(at path: UnsafeRawBufferPointer) -> (BuiltinEndpoint, Call?)? {
        guard Self.mayHold(path) else { return hasPage && path.elementsEqual("/".utf8) ? (.page, nil) : nil }
        if path.elementsEqual(Self.keysPath) { return (.keys, nil) }
        if let call = calls.first(where: { $0.matches(path) }) { return (.account(call.endpoint), call) }
        if let index = assets.firstIndex(where: { path.elementsEqual($0.path) }) { return (.asset(index), nil) }
        return hasPage && path.count == Self.prefix.count ? (.page, nil) : nil
    }
}
