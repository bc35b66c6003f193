import Authentication
import Authorization
import GatewayCore
import HTTPServer
import NIOCore
import RequestPipeline
import Revocation

/// The driver of one connection's requests. It advances a run, performs its lookups and carries out its last step.
protocol PipelineDriver: AnyObject {
    /// The event loop's state.
    var home: WorkerLoop { get }
    /// The current request's run.
    var run: PipelineRun { get }
    /// The findings of the current request. `nil` if no viewer of decisions was there when it began.
    var findings: DecisionFindings? { get }
    /// The kind of the request in the access log. `nil` for a request that is forwarded.
    var frontEnd: StaticString? { get }
    /// Records that the request waits.
    func recordWait(since now: UInt64)
    /// Resumes the request with the result of its lookup.
    func resume(with result: LookupResult, _ client: ClientHandler)
    /// Calls `body` with the head that the ranges of the client's record belong to.
    func withHead(of client: ClientHandler, _ body: (UnsafeRawBufferPointer) -> Void)
}

/// A request that waits for a lookup.
struct WaitingRequest {
    let client: ClientHandler
    let exchange: any PipelineDriver
    /// The number of the request on its connection.
    let number: UInt64
    /// The interest in a lookup that is dropped if the request no longer waits for it. `nil` for other lookups.
    let interest: LookupInterest?

    init(_ client: ClientHandler, _ exchange: any PipelineDriver, for lookup: Lookup) {
        self.client = client
        self.exchange = exchange
        number = client.record.number
        if case .appToken = lookup { interest = LookupInterest() } else { interest = nil }
    }

    /// Whether the client still has this request.
    var isCurrent: Bool { client.isOpen && client.record.number == number }

    func resume(with result: LookupResult) {
        exchange.resume(with: result, client)
    }
}

extension PipelineDriver {
    /// Makes the request wait for a lookup, and starts it unless a suitable one is running. Returns a result if it is
    /// immediately known to be unavailable. `nil` if the request waits or was denied.
    func wait(for lookup: Lookup, _ client: ClientHandler, _ worker: Worker) -> LookupResult? {
        let request = WaitingRequest(client, self, for: lookup)
        guard let key = lookup.key else {
            guard case .records(let query, let entry) = lookup else { return .unavailable }
            return worker.queryStore(query, entry, for: request)
        }
        if case .owner = lookup, !worker.pending.isStarted(key), worker.pending.lookups >= Worker.lookupLimit {
            return .ownerUnknown(.overloaded)
        }
        recordWait(since: worker.connectionContext.time)
        switch worker.pending.enter(request, for: key, of: client.origin.network) {
        case .refused:
            client.deny(Denial(.overloaded))
            return nil
        case .admitted: client.adjustReading()
        case .replaced(let evicted):
            client.adjustReading()
            if evicted.isCurrent { evicted.client.deny(Denial(.overloaded)) }
        }
        worker.start(lookup, key, for: request)
        return nil
    }
}
