package import Authentication
package import GatewayCore
import HTTPWire

/// The expected response to an upgrade. A class, so that an ordinary request carries a `nil` reference.
package final class UpgradeRequest: Sendable {
    /// The protocol, as spelled in the route.
    package let name: [UInt8]
    /// `Connection` and `Upgrade` for the upstream and for the client, each with its CRLF.
    package let lines: [UInt8]
    /// The expected value of `Sec-WebSocket-Accept`. `nil` if the protocol is not WebSocket.
    package let accept: [UInt8]?
    /// The sub-protocols that are offered to the upstream.
    package let protocols: [[UInt8]]
    /// Whether the client offered `bearer` to present a token. It is selected in the response if the upstream selects
    /// no other sub-protocol.
    package let selectsBearer: Bool

    init(name: [UInt8], accept: [UInt8]? = nil, protocols: [[UInt8]] = [], selectsBearer: Bool = false) {
        self.name = name
        self.accept = accept
        self.protocols = protocols
        self.selectsBearer = selectsBearer
        lines = Array("Connection: Upgrade\r\nUpgrade: ".utf8) + name + Array("\r\n".utf8)
    }

    package var isWebSocket: Bool { accept != nil }
}

/// The protocols to which a route's requests may upgrade.
package struct UpgradePlan: Sendable {
    /// The upgrade in a request.
    package enum Outcome {
        /// No protocol of the route, or a request that cannot be upgraded. The request is handled without an upgrade.
        case nothing
        case upgrade(UpgradeRequest)
        /// An invalid WebSocket handshake (RFC 6455 section 4.2.1), with the reason for the log.
        case malformed(StaticString)
    }

    /// The names of the protocols, in lower case.
    package let names: [[UInt8]]

    package init(names: [[UInt8]]) {
        self.names = names
    }

    /// Reads the upgrade from a request.
    ///
    /// - Parameter places: The additional credential sources. A credential among the sub-protocols is not offered to
    ///   the upstream.
    package func read(_ request: RequestView, _ places: CredentialSources?) -> Outcome {
        // A body would have to end before the tunnel begins. HTTP/1.0 has no upgrades.
        guard request.head.hasUpgrade, request.head.framing == .none || request.head.framing == .length(0),
            let name = names.first(where: { Self.isRequested($0, in: request) })
        else { return .nothing }
        guard name == Self.webSocket else { return .upgrade(UpgradeRequest(name: name)) }
        return WebSocketRequest.read(request, places)
    }

    static let webSocket = Array("websocket".utf8)

    private static func isRequested(_ name: [UInt8], in request: RequestView) -> Bool {
        var index = request.fields.firstIndex(of: .upgrade)
        while let current = index {
            let members = ListMembers(request.fields[current].value.bytes(in: request.bytes))
            for member in members where ASCII.equals(member, name) { return true }
            index = request.fields.nextIndex(of: .upgrade, after: current)
        }
        return false
    }
}

/// The client's part of a WebSocket handshake.
enum WebSocketRequest {
    static func read(_ request: RequestView, _ places: CredentialSources?) -> UpgradePlan.Outcome {
        guard request.head.method == .get else { return .malformed("websocket: not GET") }
        guard let key = only(request.fields.first(.secWebSocketKey), request),
            request.fields.count(of: .secWebSocketKey) == 1,
            WebSocketKey.isValid(key)
        else { return .malformed("websocket: the key") }
        guard let version = single("sec-websocket-version", request), ASCII.equals(version, "13") else {
            return .malformed("websocket: the version")
        }
        guard let offered = protocols(request, places) else { return .malformed("websocket: the sub-protocols") }
        let selectsBearer = places?.hasProtocolToken(in: request) ?? false
        return .upgrade(
            UpgradeRequest(
                name: UpgradePlan.webSocket, accept: WebSocketKey.accept(key), protocols: offered,
                selectsBearer: selectsBearer))
    }

    /// Returns the value of a field, unless `Connection` names it, because it would not be forwarded.
    private static func only(_ field: Field?, _ request: RequestView) -> UnsafeRawBufferPointer? {
        guard let field, !field.isNamedByConnection else { return nil }
        return field.value.bytes(in: request.bytes)
    }

    /// Returns the value of the only field with that name.
    private static func single(_ name: StaticString, _ request: RequestView) -> UnsafeRawBufferPointer? {
        var found: Field?
        for index in 0..<request.fields.count
        where ASCII.equals(request.fields[index].name.bytes(in: request.bytes), name) {
            guard found == nil else { return nil }
            found = request.fields[index]
        }
        return only(found, request)
    }

    /// Returns the sub-protocols to offer. `nil` if the fields are not a list of distinct tokens.
    private static func protocols(_ request: RequestView, _ places: CredentialSources?) -> [[UInt8]]? {
        var all: [[UInt8]] = []
        for index in 0..<request.fields.count {
            let field = request.fields[index]
            guard ASCII.equals(field.name.bytes(in: request.bytes), WebSocketProtocols.fieldName) else { continue }
            guard let value = only(field, request) else { return nil }
            for member in ListMembers(value) {
                let name = Array(member)
                guard WebSocketProtocols.isToken(member), !all.contains(name), all.count < limit else { return nil }
                all.append(name)
            }
        }
        let ours = places?.hasProtocolToken(in: request) ?? false
        return ours ? Array(all.dropFirst(2)) : all
    }

    /// The maximum number of sub-protocols. All pairs are compared.
    private static let limit = 64
}
