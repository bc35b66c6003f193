import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OutboundHTTP
import Synchronization

/// A collector of one response that rejects it as early as possible.
final class KeyResponseCollector: HTTPClientResponseDelegate {
    typealias Response = KeyResponse

    private struct State {
        var hasHead = false
        var response = KeyResponse(body: [])
    }

    private let limit: Int
    // The client calls from one event loop. The lock protects `hasHead`, which is read from elsewhere after the end.
    private let state = Mutex(State())

    /// Creates a collector of a body of at most `limit` bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the head of a response has arrived.
    var hasHead: Bool { state.withLock { $0.hasHead } }

    func didReceiveHead(task: HTTPClient.Task<KeyResponse>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        state.withLock { state in
            state.hasHead = true
            let cacheControl = head.headers["cache-control"]
            state.response.cacheControl = cacheControl.isEmpty ? nil : cacheControl.joined(separator: ",")
            state.response.age = head.headers.first(name: "age")
        }
        return result(refusal(of: head), on: task.eventLoop)
    }

    func didReceiveBodyPart(task: HTTPClient.Task<KeyResponse>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let refusal = state.withLock { state -> KeyFetchError? in
            guard state.response.body.count + buffer.readableBytes <= limit else { return tooLarge }
            state.response.body.append(contentsOf: buffer.readableBytesView)
            return nil
        }
        return result(refusal, on: task.eventLoop)
    }

    func didFinishRequest(task: HTTPClient.Task<KeyResponse>) throws -> KeyResponse {
        state.withLock { $0.response }
    }

    private var tooLarge: KeyFetchError { KeyFetchError(.tooLarge, "more than \(limit) bytes") }

    private func refusal(of head: HTTPResponseHead) -> KeyFetchError? {
        let status = head.status.code
        if (300..<400).contains(status) { return KeyFetchError(.redirected, "\(status)") }
        guard status == 200 else { return KeyFetchError(.status, "\(status)") }
        if let length = head.headers.first(name: "content-length").flatMap(Int.init), length > limit { return tooLarge }
        return nil
    }

    private func result(_ refusal: KeyFetchError?, on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        refusal.map { eventLoop.makeFailedFuture($0) } ?? eventLoop.makeSucceededVoidFuture()
    }
}
