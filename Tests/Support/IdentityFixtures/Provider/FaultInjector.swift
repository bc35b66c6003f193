package import DevelopmentIdentity
internal import Synchronization

extension DevelopmentProvider {
    /// Makes an endpoint misbehave, or behave again.
    ///
    /// - Parameters:
    ///   - misbehaviour: what it does; `nil` for its own responses.
    ///   - times: the number of responses; by default until it is changed.
    package func misbehave(_ misbehaviour: Misbehaviour?, at endpoint: Endpoint, times: Int? = nil) {
        let injector = interceptor(orInstall: FaultInjector()) as? FaultInjector
        injector?.set(misbehaviour.map { FaultInjector.Fault(misbehaviour: $0, remaining: times) }, at: endpoint)
    }
}

/// Replaces the responses of a provider's endpoints that misbehave.
private final class FaultInjector: ResponseInterceptor {
    struct Fault {
        let misbehaviour: Misbehaviour
        /// How many more responses it replaces; `nil` is all of them.
        var remaining: Int?
    }

    private let faults = Mutex<[DevelopmentProvider.Endpoint: Fault]>([:])

    func set(_ fault: Fault?, at endpoint: DevelopmentProvider.Endpoint) {
        faults.withLock { $0[endpoint] = fault }
    }

    func begin(_ head: ReceivedRequest) -> [ResponseStep]? { nil }

    func respond(to request: ReceivedRequest, insteadOf response: Response) -> [ResponseStep]? {
        guard let endpoint = DevelopmentProvider.Endpoint(rawValue: request.path) else { return nil }
        return take(at: endpoint)?.steps(insteadOf: response, of: endpoint, to: request)
    }

    /// The misbehaviour of the next response of an endpoint; counts it down.
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
    /// The endpoint's document without keys.
    fileprivate var emptySet: String {
        switch self {
        case .idTokenJWKSet, .sessionJWKSet, .keys: "{\"keys\":[]}"
        default: "{}"
        }
    }
}

extension Misbehaviour {
    /// The steps in place of `good`, the provider's own response.
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

    /// The well-formed response with unwelcome content.
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
