package import GatewayConfiguration
import GatewayCore
import HTTPWire
import JOSE
import NIOPosix
import OutboundHTTP
import PrintableText
import TextCoding

/// The management of a transmitter's streams (OpenID Shared Signals Framework 1.0 section 8), for the command line.
package struct EventStreams: Sendable {
    /// The reason that a call failed, and the remedy.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The delivery of a stream.
    package enum Delivery: Sendable {
        /// The transmitter pushes events to this URL (RFC 8935).
        case push(to: String)
        /// The gateway polls them (RFC 8936).
        case poll
    }

    /// The types that the gateway acts on or logs by name.
    package static let events =
        [
            "session-revoked", "token-claims-change", "credential-change", "assurance-level-change",
            "device-compliance-change", "risk-level-change",
        ].map { "https://schemas.openid.net/secevent/caep/event-type/\($0)" }
        + [
            "account-disabled", "account-enabled", "account-purged", "account-credential-change-required",
            "credential-compromise", "identifier-changed", "identifier-recycled", "sessions-revoked",
        ].map { "https://schemas.openid.net/secevent/risc/event-type/\($0)" }

    private static let timeout = Duration.seconds(10)
    private static let limits = JSONLimits(size: OutboundHTTPClient.sizeLimit, depth: 16, members: 4096)

    let transmitter: Configuration.Transmitter
    let transport: any OutboundTransport
    let clock: GatewayClock

    /// Creates a client of the management API.
    init(_ transmitter: Configuration.Transmitter, transport: any OutboundTransport, clock: GatewayClock = .system) {
        (self.transmitter, self.transport, self.clock) = (transmitter, transport, clock)
    }

    /// Runs `body` with a client of the management API of a transmitter.
    package static func run<Result: Sendable>(
        _ transmitter: Configuration.Transmitter, _ body: (EventStreams) async throws -> Result
    ) async throws -> Result {
        let transport = OutboundHTTPClient(
            group: MultiThreadedEventLoopGroup.singleton, connections: 1, longest: timeout)
        do {
            let result = try await body(EventStreams(transmitter, transport: transport))
            await transport.shutdown()
            return result
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    /// Creates a stream. Returns lines that describe it.
    package func register(_ delivery: Delivery, events: [String]) async throws(Failure) -> [String] {
        let url = try await endpoint("configuration_endpoint")
        let body = ObjectText.object { body in
            body.add("events_requested", events)
            body.add("delivery", json: deliveryText(delivery))
            body.add("description", "gatehouse")
        }
        let response = try await call(.post, url, body)
        guard response.status == 201 || response.status == 200 else {
            let hint = response.status == 409 ? "; it has a stream, which events status shows" : ""
            throw Failure(description: "the transmitter rejected the stream: \(response.status)\(hint)")
        }
        return try describe(try document(response).root)
    }

    /// Returns lines that describe all streams, and the status of each.
    package func status() async throws(Failure) -> [String] {
        let streams = try await streams()
        guard !streams.isEmpty else { return ["no stream"] }
        let url = try await endpoint("status_endpoint")
        var lines: [String] = []
        for stream in streams {
            lines += try describe(stream)
            let response = try await call(.get, Self.adding(stream: try id(of: stream), to: url))
            guard response.status == 200 else {
                throw Failure(description: "the transmitter does not return the status: \(response.status)")
            }
            let root = try document(response).root
            let reason = root["reason"]?.string.map { ", \(Self.shown($0))" } ?? ""
            lines.append("status     \(Self.shown(root["status"]?.string ?? "unknown"))\(reason)")
        }
        return lines
    }

    /// Requests the verification of all streams. The transmitter sends an event with `state` for each of them.
    ///
    /// - Returns: The identifiers of the streams.
    package func verify(state: String) async throws(Failure) -> [String] {
        let url = try await endpoint("verification_endpoint")
        var verified: [String] = []
        for stream in try await streams() {
            let id = try id(of: stream)
            let body = ObjectText.object { body in
                body.add("stream_id", id)
                body.add("state", state)
            }
            let response = try await call(.post, url, body)
            guard response.status == 204 || response.status == 200 else {
                let hint = response.status == 429 ? "; wait for min_verification_interval" : ""
                throw Failure(description: "the transmitter rejected the verification: \(response.status)\(hint)")
            }
            verified.append(Self.shown(id))
        }
        guard !verified.isEmpty else {
            throw Failure(description: "the transmitter has no stream; run events register")
        }
        return verified
    }
}

extension EventStreams {
    private func deliveryText(_ delivery: Delivery) -> [UInt8] {
        ObjectText.object { text in
            switch delivery {
            case .push(let url):
                text.add("method", "urn:ietf:rfc:8935")
                text.add("endpoint_url", url)
                text.add(
                    "authorization_header",
                    transmitter.authorization.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } })
            case .poll: text.add("method", "urn:ietf:rfc:8936")
            }
        }
    }

    /// Returns the URL of an endpoint from the metadata, which must be that of the issuer.
    private func endpoint(_ name: String) async throws(Failure) -> String {
        let response = try await send(OutboundRequest(method: .get, url: transmitter.metadataURL, fields: []))
        guard response.status == 200 else {
            throw Failure(description: "the metadata at \(transmitter.metadataURL) is \(response.status)")
        }
        let root = try document(response).root
        guard root["issuer"]?.equals(transmitter.issuer) == true else {
            throw Failure(description: "the metadata at \(transmitter.metadataURL) has another issuer")
        }
        guard let text = root[name]?.string, let url = try? HTTPURL(parsing: text) else {
            throw Failure(description: "the metadata of \(transmitter.id) has no \(name)")
        }
        // The token must not leave the protection that the configuration requires.
        guard url.isSecure || IPAddress.isLoopback(host: url.host) || transmitter.insecureHTTP else {
            throw Failure(description: "\(name) of \(transmitter.id) is not https")
        }
        return text
    }

    private func streams() async throws(Failure) -> [JSONValue] {
        let response = try await call(.get, try await endpoint("configuration_endpoint"))
        if response.status == 404 { return [] }
        guard response.status == 200 else {
            throw Failure(description: "the transmitter does not return its streams: \(response.status)")
        }
        let root = try document(response).root
        return root.kind == .array ? Array(root.elements.prefix(16)) : [root]
    }

    private func call(
        _ method: OutboundRequest.Method, _ url: String, _ body: [UInt8] = []
    ) async throws(Failure) -> OutboundResponse {
        guard let secret = transmitter.managementAuthorization else {
            throw Failure(
                description: "accounts.transmitters.\(transmitter.id).management_authorization is missing;"
                    + " add the Authorization of the transmitter's management API")
        }
        var fields: [(name: String, value: String)] = [
            ("authorization", secret.withBytes { String(decoding: $0, as: UTF8.self) })
        ]
        if !body.isEmpty { fields.append(("content-type", "application/json")) }
        let response = try await send(OutboundRequest(method: method, url: url, fields: fields, body: body))
        guard response.status != 401, response.status != 403 else {
            throw Failure(
                description: "the transmitter rejects the call: \(response.status);"
                    + " check accounts.transmitters.\(transmitter.id).management_authorization")
        }
        return response
    }

    private func send(_ request: OutboundRequest) async throws(Failure) -> OutboundResponse {
        switch await transport.send(request, within: Self.timeout) {
        case .success(let response): return response
        case .failure(let failure):
            throw Failure(description: "\(KeySource.name(of: request.url)) cannot be used: \(failure.kind.rawValue)")
        }
    }

    private func document(_ response: OutboundResponse) throws(Failure) -> JSONDocument {
        guard let document = try? JSONDocument(response.body, limits: Self.limits) else {
            throw Failure(description: "the transmitter's response is not JSON")
        }
        return document
    }

    private func id(of stream: JSONValue) throws(Failure) -> String {
        guard let id = stream["stream_id"]?.string else { throw Failure(description: "a stream has no stream_id") }
        return id
    }

    private func describe(_ stream: JSONValue) throws(Failure) -> [String] {
        let delivery = stream["delivery"]
        let events = stream["events_delivered"].map { $0.elements.compactMap(\.string) } ?? []
        var lines = ["stream     \(Self.shown(try id(of: stream)))"]
        let method = delivery?["method"]?.string ?? "unknown"
        let target = delivery?["endpoint_url"]?.string.map { " \(Self.shown($0))" } ?? ""
        lines.append("delivery   \(Self.shown(method))\(target)")
        for event in events.prefix(64) { lines.append("event      \(Self.shown(event))") }
        if stream["iss"]?.equals(transmitter.issuer) == false {
            lines.append("warning    iss of the stream is not issuer; its events are rejected")
        }
        let audiences = stream["aud"].map { $0.kind == .array ? Array($0.elements) : [$0] } ?? []
        let isAccepted = audiences.contains { value in transmitter.audiences.contains { value.equals($0) } }
        if !audiences.isEmpty, !isAccepted {
            let shown = audiences.prefix(4).compactMap(\.string).map(Self.shown).joined(separator: ", ")
            lines.append("warning    aud of the stream is \(shown); add it to audiences")
        }
        return lines
    }

    /// Text of the transmitter, for display.
    private static func shown(_ text: String) -> String { PrintableText.escaped(String(text.prefix(512))) }

    private static func adding(stream id: String, to url: String) -> String {
        var query: [UInt8] = []
        FormEncoding.append("stream_id", id.utf8, to: &query)
        return url + (url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + String(decoding: query, as: UTF8.self)
    }
}
