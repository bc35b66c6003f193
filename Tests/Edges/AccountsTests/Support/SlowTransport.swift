import OutboundHTTP
import Synchronization

/// A transport whose requests to one address wait.
final class SlowTransport: OutboundTransport {
    typealias Completion = @Sendable (Result<OutboundResponse, LookupFailure>) -> Void

    private let transport: any OutboundTransport
    private let suffix: String
    private let completions = Mutex<[Completion]>([])

    init(_ transport: any OutboundTransport, slow suffix: String) {
        (self.transport, self.suffix) = (transport, suffix)
    }

    var waiting: Int { completions.withLock { $0.count } }

    func send(_ request: OutboundRequest, within timeout: Duration, completion: @escaping Completion) {
        guard request.url.hasSuffix(suffix) else {
            return transport.send(request, within: timeout, completion: completion)
        }
        completions.withLock { $0.append(completion) }
    }

    func answerAll() {
        for completion in completions.withLock({ completions in
            defer { completions = [] }
            return completions
        }) { completion(.failure(LookupFailure(.cancelled))) }
    }

    func shutdown() async {}
}
