internal import Synchronization
package import DevelopmentIdentity

extension DevelopmentProvider {
    /// Sets or ends the misbehaviour of an endpoint.
    ///
    /// - Parameters:
    ///   - misbehaviour: The misbehaviour. `nil` for the normal responses.
    ///   - times: The number of responses. By default, all responses until the next change.
    package func misbehave(_ misbehaviour: Misbehaviour?, at endpoint: Endpoint, times: Int? = nil) {
        let injector = interceptor(orInstall: FaultInjector()) as? FaultInjector
        injector?.set(misbehaviour.map { FaultInjector.Fault(misbehaviour: $0, remaining: times) }, at: endpoint)
    }
}

/// Replaces the responses of the misbehaving endpoints of a provider.
private final class FaultInjector: ResponseInterceptor {
    struct Fault {
        let misbehaviour: Misbehaviour
        /// The number of remaining responses. `nil` for all.
        var remaining: Int?
    }

    private let faults = Mutex<[DevelopmentProvider.Endpoint: Fault]>([:])

    func set(_ fault: Fault?, at endpoint: DevelopmentProvider.Endpoint) { faults.withLock { $0[endpoint] = fault } }

    func begin(_ head: ReceivedRequest) -> [ResponseStep]? { nil }

    func respond(to request: ReceivedRequest, insteadOf response: Response) -> [ResponseStep]? {
        guard let endpoint = DevelopmentProvider.Endpoint(rawValue: request.path) else { return nil }
        return take(at: endpoint)?.steps(insteadOf: response, of: endpoint, to: request)
    }

    /// Returns the misbehaviour of the next response of an endpoint, and decrements its count.
    private func take(at endpoint: DevelopmentProvider.Endpoint) -> Misbehaviour? {
        faults.withLock { faults in
            guard let fault = faults[endpoint] else { return nil }
            if let remaining = fault.remaining {
                let left = Fault(misbehaviour: fault.misbehaviour, remaining: remaining - 1)
                faults[endpoint] = remaining > 1 ? left : nil
            }
            return fault.misbehaviour
        }
    }
}

extension DevelopmentProvider.Endpoint {
    /// The document of the endpoint without keys.
    fileprivate var emptySet: String {
        switch self {
        case .idTokenJWKSet, .sessionJWKSet, .keys: "{\"keys\":[]}"
        default: "{}"
        }
    }
}

extension Misbehaviour {
    /// The steps that replace `good`, the normal response of the provider.
    fileprivate func steps(
        insteadOf good: Response, of endpoint: DevelopmentProvider.Endpoint, to request: ReceivedRequest
    ) -> [ResponseStep] {
        switch self {
        case .drip(let interval): [.drip(good.bytes(for: request)[...], interval: interval)]
        case .hang: [.hang]
        case .held(let gate): [.hold(gate), .send(good.bytes(for: request))]
        case .drop: [.close]
        case .reset: [.reset]
        case .raw(let text): [.send(Array(text.utf8)), .close]
        case .oversized(let bytes): oversized(bytes, good)
        case .endless: endless(good)
        case .wrongContentLength(let difference): wrongLength(difference, good)
        default: [.send(response(insteadOf: good, of: endpoint).bytes(for: request))]
        }
    }

    /// A well-formed response with unexpected content.
    private func response(insteadOf good: Response, of endpoint: DevelopmentProvider.Endpoint) -> Response {
        var response = good
        switch self {
        case .status(let status, let body, let fields):
            response = Response(status: status, fields: [("Content-Type", "application/json")], body: Array(body.utf8))
            response.fields += fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        case .body(let text): response.body = Array(text.utf8)
        case .html:
            response.fields = [("Content-Type", "text/html; charset=utf-8")]
            response.body = Array("<!doctype html><title>Sign in to the network</title>\n".utf8)
        case .truncatedJSON: response.body = Array(good.body.prefix(good.body.count / 2))
        case .noKeys: response.body = Array(endpoint.emptySet.utf8)
        case .gzipBomb(let bytes):
            response.fields.append(("Content-Encoding", "gzip"))
            response.body = GzipBomb.bytes(bytes)
        case .redirect(let location, let status):
            response = Response(status: status, fields: [("Location", location)])
        case .cacheControl(let value):
            response.fields.removeAll { $0.name == "Cache-Control" }
            if let value { response.fields.append(("Cache-Control", value)) }
        default: break
        }
        return response
    }

    private func oversized(_ count: Int, _ good: Response) -> [ResponseStep] {
        let start = Array("{\"keys\":[],\"padding\":\"".utf8)
        let head = good.head(adding: [("Content-Length", "\(max(count, start.count))")])
        return [.send(head + start), .fill(max(0, count - start.count))]
    }

    private func endless(_ good: Response) -> [ResponseStep] {
        let size = 1 << 40
        return [
            .send(good.head(adding: [("Transfer-Encoding", "chunked")]) + Array("\(String(size, radix: 16))\r\n".utf8)),
            .fill(size),
        ]
    }

    private func wrongLength(_ difference: Int, _ good: Response) -> [ResponseStep] {
        let head = good.head(adding: [("Content-Length", "\(max(0, good.body.count + difference))")])
        return [.send(head + good.body), .close]
    }
}

/// A gzip stream (RFC 1952) that inflates to many spaces, which are white space in JSON.
enum GzipBomb {
    /// The header of the stream, of an unnamed file.
    private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    /// A block of fixed Huffman codes (RFC 1951 section 3.2.6): three bits, a space, and the first bits of `copies`.
    private static let start: [UInt8] = [0x53, 0x18]
    /// Eight repetitions of the 13 bits of "258 more, copied from one byte back".
    private static let copies: [UInt8] = [
        0x05, 0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18,
    ]

    /// The first `count` bytes of an unterminated stream. A reader that detects this has inflated all bytes before.
    static func bytes(_ count: Int) -> [UInt8] {
        var bytes = head + start
        bytes.reserveCapacity(count + copies.count)
        while bytes.count < count { bytes += copies }
        return bytes
    }
}

/// The behaviour of a provider instead of its own response.
package enum Misbehaviour: Sendable {
    /// Responds with this status and body, and additional fields such as `Retry-After`.
    case status(Int, body: String = "", fields: [String: String] = [:])
    /// Responds with this body as `application/json`.
    case body(String)
    /// Responds with an HTML page.
    case html
    /// Sends only the first half of the JSON text, with the matching Content-Length.
    case truncatedJSON
    /// Sends an empty key set in the format of the endpoint.
    case noKeys
    /// Sends a body of this many bytes that begins like a key set.
    case oversized(bytes: Int = 10_485_760)
    /// Sends an endless chunked body as fast as it is read.
    case endless
    /// Sends a gzip-coded body of this many bytes, which inflates to 158 times as many spaces.
    case gzipBomb(bytes: Int = 1_000_000)
    /// Redirects to this URL.
    case redirect(to: String, status: Int = 302)
    /// Sends the provider's response one byte at a time.
    case drip(interval: Duration)
    /// Never responds.
    case hang
    /// Sends the provider's response when the gate opens.
    case held(Gate)
    /// Sends a Content-Length that differs by this many bytes, and closes.
    case wrongContentLength(by: Int)
    /// Closes the connection without a response.
    case drop
    /// Resets the connection without a response.
    case reset
    /// Sends the provider's response with this Cache-Control field. `nil` removes the field.
    case cacheControl(String?)
    /// Sends these bytes unchanged and closes.
    case raw(String)
}
