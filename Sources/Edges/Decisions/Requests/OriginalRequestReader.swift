package import GatewayCore
import HTTPWire
package import Routing

/// A reader of the original request from the request of a trusted proxy.
///
/// The proxy forwards its own bytes, not those that are checked here. So whatever two programs could read differently
/// is rejected: a missing, empty or repeated field, a list, a path that is not canonical, and another spelling of an
/// identity field.
package struct OriginalRequestReader {
    private let fields: DecisionFields
    private let scratch: PathScratch

    /// Creates a reader. `scratch` is used during each call only.
    package init(_ fields: DecisionFields, scratch: PathScratch) {
        self.fields = fields
        self.scratch = scratch
    }

    /// Returns the original request.
    package func read(_ request: RequestView, of family: ProxyFamily) throws(DescriptionError) -> OriginalRequest {
        let asked = AskingRequest(request)
        try checkNames(asked, family)
        let target = try DescribedTarget(asked, family)
        let (client, earlier) = try client(of: asked, isSecure: target.isSecure)
        return try read(asked, target, client, earlier)
    }

    /// Returns the original request of a check by Envoy over gRPC.
    package func read(_ check: CheckRequest) throws(DescriptionError) -> OriginalRequest {
        let (head, client) = (try check.head(), try check.client())
        let table = FieldTable(capacity: check.fieldCount)
        return try head.withUnsafeBytes { bytes in
            Result { () throws(DescriptionError) in
                let request: RequestView
                do throws(HeadError) {
                    let limits = HeadLimits(size: bytes.count, fields: check.fieldCount)
                    request = RequestView(
                        head: try RequestParser.parse(bytes, fields: table, limits: limits), bytes: bytes, fields: table
                    )
                } catch {
                    throw DescriptionError("the described request is malformed: \(error)")
                }
                let asked = AskingRequest(request)
                try checkNames(asked, nil)
                let target = try DescribedTarget(check: asked)
                let peer = PeerAddress(client, isSecure: target.isSecure, through: [])
                return try read(asked, target, peer, try earlier(than: client, asked))
            }
        }.get()
    }

    private func read(
        _ asked: AskingRequest, _ target: DescribedTarget, _ client: PeerAddress, _ earlier: UnsafeRawBufferPointer
    ) throws(DescriptionError) -> OriginalRequest {
        let request = asked.view
        var head = HeadText(capacity: request.bytes.count + 256)
        head.append(target.method)
        head.append(" ")
        head.append(target.target)
        head.append(" HTTP/1.1\r\nHost: ")
        head.append(target.host)
        head.append("\r\n")
        if !earlier.isEmpty {
            head.append("X-Forwarded-For: ")
            head.append(earlier)
            head.append("\r\n")
        }
        if try isWebSocket(asked) { head.append("Connection: Upgrade\r\nUpgrade: websocket\r\n") }
        for index in 0..<request.fields.count where keeps(request.fields[index], of: request) {
            head.append(request.fields[index].line.bytes(in: request.bytes))
        }
        head.append("\r\n")
        return try parse(head.bytes, fieldCount: request.fields.count + 4, client)
    }

    /// Parses a described request and checks its path.
    func parse(
        _ head: [UInt8], fieldCount: Int, _ client: PeerAddress
    ) throws(DescriptionError) -> OriginalRequest {
        let original: OriginalRequest
        do throws(HeadError) {
            original = try OriginalRequest(head, fieldCount: fieldCount, from: client)
        } catch {
            throw DescriptionError("the described request is malformed: \(error)")
        }
        try checkPath(of: original)
        return original
    }

    /// Rejects a path that is not canonical, or has a parameter, which servers read differently.
    private func checkPath(of original: OriginalRequest) throws(DescriptionError) {
        let problem: String? = original.withView { view in
            let path = view.head.path.bytes(in: view.bytes)
            if path.contains(UInt8(ascii: ";")) { return "it contains ';', which servers read differently" }
            do throws(PathError) {
                let canonical = try CanonicalPath(path, scratch: scratch)
                guard !canonical.hasEncodedSlash, !canonical.hasEmptySegments,
                    scratch.bytes(of: canonical.merged, in: path).elementsEqual(path)
                else { return "it is not canonical, and the proxy forwards it as it is" }
                return nil
            } catch {
                return "\(error.reason)"
            }
        }
        if let problem { throw DescriptionError("the path is rejected: \(problem)") }
    }

    // MARK: - Fields

    private func keeps(_ field: Field, of request: RequestView) -> Bool {
        switch field.kind {
        case .host, .contentLength, .expect: return false
        default: return !field.isHopByHop && !fields.removes(field.name.bytes(in: request.bytes))
        }
    }

    /// Rejects names that the proxy would leave in the request, although the service may read them as identity fields,
    /// fields by which the service may replace the path or the method, and `Connection` options by which the proxy
    /// would remove a field after the decision.
    ///
    /// - Parameter family: `nil` for a check by Envoy over gRPC.
    private func checkNames(_ asked: AskingRequest, _ family: ProxyFamily?) throws(DescriptionError) {
        let (table, bytes) = (asked.view.fields, asked.view.bytes)
        for index in 0..<table.count {
            let field = table[index]
            let name = field.name.bytes(in: bytes)
            if fields.identity.matches(name), !name.allSatisfy(Self.isPlain) {
                throw DescriptionError("a field name is another spelling of an identity field")
            }
            if fields.isOverride(name), family != .original || !name.allSatisfy(Self.isPlain) || !Self.isOriginal(name)
            {
                throw DescriptionError("a field may replace the path or the method")
            }
            // The response names the fields that Envoy must remove. The others remove only configured fields.
            if family == .forward || family == .original, fields.identity.matches(name), !fields.isListed(name) {
                throw DescriptionError("a field has the name of an identity field that the gateway does not send")
            }
            guard field.kind == .connection else { continue }
            for option in ListMembers(field.value.bytes(in: bytes)) where fields.isProtected(option) {
                throw DescriptionError("Connection names a field that the decision depends on")
            }
        }
    }

    /// Whether the field is one that ingress-nginx writes itself.
    private static func isOriginal(_ name: UnsafeRawBufferPointer) -> Bool {
        ASCII.equals(name, "X-Original-URL") || ASCII.equals(name, "X-Original-Method")
            || ASCII.equals(name, "X-Original-URI")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Returns whether the client asks for a WebSocket. Proxies that remove `Upgrade` keep `Sec-WebSocket-Key`.
    private func isWebSocket(_ asked: AskingRequest) throws(DescriptionError) -> Bool {
        var isWebSocket = asked.view.fields.contains(.secWebSocketKey)
        let table = asked.view.fields
        var index = table.firstIndex(of: .upgrade)
        while let current = index {
            for name in ListMembers(table[current].value.bytes(in: asked.view.bytes)) {
                guard ASCII.equals(name, "websocket") else {
                    throw DescriptionError("Upgrade names a protocol other than websocket")
                }
                isWebSocket = true
            }
            index = table.nextIndex(of: .upgrade, after: current)
        }
        return isWebSocket
    }

    private func client(
        of asked: AskingRequest, isSecure: Bool
    ) throws(DescriptionError) -> (PeerAddress, earlier: UnsafeRawBufferPointer) {
        let value = try asked.only("X-Forwarded-For")
        guard let chain = ForwardedChain(value) else {
            throw DescriptionError("X-Forwarded-For is not a list of addresses")
        }
        let client = PeerAddress(chain.last, isSecure: isSecure, through: [])
        return (client, UnsafeRawBufferPointer(rebasing: value[..<chain.earlierLength]))
    }

    /// Returns the addresses that the peer of Envoy reports. Envoy adds that peer itself if it is configured to use the
    /// remote address.
    private func earlier(
        than client: IPAddress?, _ asked: AskingRequest
    ) throws(DescriptionError) -> UnsafeRawBufferPointer {
        guard asked.has("X-Forwarded-For") else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let value = try asked.only("X-Forwarded-For")
        guard let chain = ForwardedChain(value) else {
            throw DescriptionError("X-Forwarded-For is not a list of addresses")
        }
        guard chain.last == client else { return value }
        return UnsafeRawBufferPointer(rebasing: value[..<chain.earlierLength])
    }
}

/// A head under construction.
struct HeadText {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: more)
    }

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}
