import HTTPWire
import NIOCore

/// The account calls of one worker: whom they are handed to, and how much of them is held.
struct WorkerCalls {
    let service: any AccountServing
    /// The lines that set and clear the session cookie.
    let cookies: SessionCookieLines
    /// What is held of bodies, and how many calls are being served.
    var heldBytes = 0
    var running = 0

    /// The most bytes of bodies that a worker holds.
    static let heldLimit = 32 << 20
    /// The most calls of a worker that are served at a time.
    static let runningLimit = 256
    /// How long a call may be served, in nanoseconds: longer than everything that it waits for, each in its bounds.
    static let patience: UInt64 = 30_000_000_000
}

/// Renders `Set-Cookie`: the same attributes to clear as to set, or the browser keeps what it has (RFC 6265 section 5.3).
struct SessionCookieLines: Sendable {
    let name: String
    private static let attributes = "Path=/; HttpOnly; Secure; SameSite=Lax"

    func value(of cookie: SessionCookie) -> String {
        switch cookie {
        case .set(let token, let maximumAge): "\(name)=\(token); Max-Age=\(maximumAge); \(Self.attributes)"
        case .clear: "\(name)=; Max-Age=0; \(Self.attributes)"
        }
    }

    /// The whole line.
    func line(of cookie: SessionCookie) -> [UInt8] { Array("Set-Cookie: \(value(of: cookie))\r\n".utf8) }
}

extension Worker {
    /// Reads a permitted call whole, and has it served.
    func serve(_ endpoint: AccountEndpoint, _ request: RequestView, _ permit: Permit, from client: ClientHandler) {
        guard calls != nil else { return client.deny(Denial(.routeNotFound)) }
        client.record.decided = clock.monotonic()
        client.record.clearsCookie = false
        let reader = CallReader(
            worker: self, client: client, endpoint: endpoint, caller: permit.identity?.principal,
            contentType: Self.mediaType(of: request))
        client.attach(reader)
    }

    /// The type and subtype alone, in lower case; empty where there are none, or several.
    private static func mediaType(of request: RequestView) -> String {
        guard let index = request.fields.firstIndex(of: .contentType),
            request.fields.nextIndex(of: .contentType, after: index) == nil
        else { return "" }
        let value = request.fields[index].value.bytes(in: request.bytes)
        let type = value.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
        return String(decoding: type, as: UTF8.self).lowercased()
    }

    /// Renders a reply for its client.
    func answer(_ reply: AccountReply, to client: ClientHandler) {
        guard let lines = calls?.cookies else { return }
        switch reply {
        case .json(let body, let cookie):
            client.answer(
                ReadyAnswer(contentType: "application/json", fields: Self.fields(cookie, lines), body: body))
        case .accepted: client.answer(ReadyAnswer(contentType: nil))
        case .done(let cookie):
            client.answer(ReadyAnswer(status: 204, contentType: nil, fields: Self.fields(cookie, lines)))
        case .refused(let denial): client.deny(denial)
        }
    }

    private static func fields(_ cookie: SessionCookie?, _ lines: SessionCookieLines) -> [(name: String, value: String)]
    {
        cookie.map { [("Set-Cookie", lines.value(of: $0))] } ?? []
    }
}

/// Takes the body of an account call, then has the call served and gives its answer.
final class CallReader: Responder {
    private let worker: Worker
    private let client: ClientHandler
    private let number: UInt64
    private let endpoint: AccountEndpoint
    private let caller: Principal?
    private let contentType: String
    private var body: [UInt8] = []
    private var isServed = false
    private var isOver = false
    private var servedUntil = UInt64.max

    init(
        worker: Worker, client: ClientHandler, endpoint: AccountEndpoint, caller: Principal?, contentType: String
    ) {
        self.worker = worker
        self.client = client
        number = client.record.number
        self.endpoint = endpoint
        self.caller = caller
        self.contentType = contentType
    }

    var acceptsBody: Bool { !isOver }

    func bodyPart(_ part: ByteBuffer) {
        guard !isOver, let held = worker.calls?.heldBytes else { return }
        guard held + part.readableBytes <= WorkerCalls.heldLimit else { return refuse(Denial(.overloaded)) }
        worker.calls?.heldBytes += part.readableBytes
        body.append(contentsOf: part.readableBytesView)
    }

    func bodyEnded(trailers: ByteBuffer) {
        guard !isOver, let calls = worker.calls else { return }
        guard calls.running < WorkerCalls.runningLimit else { return refuse(Denial(.overloaded)) }
        worker.calls?.running += 1
        isServed = true
        servedUntil = worker.front.time &+ WorkerCalls.patience
        let call = AccountCall(
            endpoint: endpoint, body: body, contentType: contentType,
            caller: caller.map { AccountCaller(principal: $0) }, network: client.peer.network,
            requestID: client.record.idText)
        let bound = NIOLoopBound(self, eventLoop: worker.loop)
        calls.service.serve(call) { reply in
            bound.eventLoop.execute { bound.value.served(reply) }
        }
    }

    func bodyFlush() {}
    func clientWritabilityChanged(isWritable: Bool) {}

    func clientGone() {
        letGo()
    }

    func tick(now: UInt64) {
        guard isServed, !isOver, now >= servedUntil else { return }
        refuse(Denial(.overloaded))
    }

    /// The call has its answer, however late: until then it keeps its place among those that are served.
    private func served(_ reply: AccountReply) {
        worker.calls?.running -= 1
        guard !isOver else { return }
        worker.front.readClock()
        letGo()
        guard client.isOpen, client.record.number == number else { return }
        worker.answer(reply, to: client)
    }

    private func refuse(_ denial: Denial) {
        letGo()
        client.deny(denial)
    }

    private func letGo() {
        guard !isOver else { return }
        isOver = true
        worker.calls?.heldBytes -= body.count
        body = []
    }
}
