import Accounts
import Authentication
import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import RequestPipeline

/// The account calls of one worker: their service and their memory.
struct WorkerCalls {
    let service: any AccountServing
    /// The `Set-Cookie` lines of the session cookie.
    let cookies: SessionCookieLines
    /// The number of running calls.
    var running = 0
    /// The size of buffered bodies, in total and by network.
    private var heldBytes = 0
    private var heldByNetwork: [PeerNetwork: Int] = [:]

    init(service: any AccountServing, cookies: SessionCookieLines) {
        self.service = service
        self.cookies = cookies
    }

    /// The maximum size of all buffered bodies of a worker, in bytes.
    static let heldLimit = 32 << 20
    /// The maximum size for one network. Bodies may arrive slowly, and one client must not exhaust the total.
    static let networkLimit = heldLimit / 4
    /// The maximum number of concurrent calls of a worker.
    static let runningLimit = 256
    /// The timeout of a call, in nanoseconds. It exceeds the timeouts of all operations within the call.
    static let timeout: UInt64 = 30_000_000_000
}

extension WorkerCalls {
    /// Counts received bytes of a body if the limits permit them. Returns whether they were counted.
    mutating func hold(_ bytes: Int, of network: PeerNetwork) -> Bool {
        let held = heldByNetwork[network, default: 0]
        guard heldBytes + bytes <= Self.heldLimit, held + bytes <= Self.networkLimit else { return false }
        heldBytes += bytes
        heldByNetwork[network] = held + bytes
        return true
    }

    /// Subtracts bytes that were released.
    mutating func release(_ bytes: Int, of network: PeerNetwork) {
        heldBytes -= bytes
        let held = heldByNetwork[network, default: 0] - bytes
        heldByNetwork[network] = held > 0 ? held : nil
    }
}

extension Worker {
    /// Reads a permitted account request completely and serves it.
    func serve(_ endpoint: AccountEndpoint, _ request: RequestView, _ permit: Permit, from client: ClientHandler) {
        guard calls != nil else { return client.deny(Denial(.routeNotFound)) }
        client.record.decided = clock.monotonic()
        client.record.clearsCookie = false
        let reader = AccountCallResponder(
            worker: self, client: client, endpoint: endpoint, caller: permit.identity?.principal,
            contentType: Self.mediaType(of: request),
            browser: endpoint.changesSession
                ? BrowserRequest(request, endpoint, sessionCookies: snapshot.sessionCookies.names) : BrowserRequest(),
            authorization: endpoint == .securityEvents ? Self.authorization(of: request) : nil,
            webhook: endpoint == .gitHubEvents
                ? AccountCall.WebhookFields(
                    event: Self.value(of: "x-github-event", in: request),
                    signature: Self.value(of: "x-hub-signature-256", in: request)) : nil)
        client.attach(reader)
    }

    /// Returns the media type without parameters, in lower case. Empty if the field is absent or repeated.
    private static func mediaType(of request: RequestView) -> String {
        guard let index = request.fields.firstIndex(of: .contentType),
            request.fields.nextIndex(of: .contentType, after: index) == nil
        else { return "" }
        let value = request.fields[index].value.bytes(in: request.bytes)
        let type = value.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
        return String(decoding: type, as: UTF8.self).lowercased()
    }

    /// Returns the bytes of `Authorization`. `nil` if the field is absent or repeated.
    private static func authorization(of request: RequestView) -> [UInt8]? {
        guard let index = request.fields.firstIndex(of: .authorization),
            request.fields.nextIndex(of: .authorization, after: index) == nil
        else { return nil }
        return Array(request.fields[index].value.bytes(in: request.bytes))
    }

    /// Returns the value of a field, whose name is in lower case. Empty if it is absent or repeated.
    private static func value(of name: StaticString, in request: RequestView) -> [UInt8] {
        let found = (0..<request.fields.count).filter {
            ASCII.equals(request.fields[$0].name.bytes(in: request.bytes), name)
        }
        guard found.count == 1 else { return [] }
        return Array(request.fields[found[0]].value.bytes(in: request.bytes))
    }

    /// Renders a reply for its client.
    func respond(with reply: AccountReply, to client: ClientHandler) {
        guard let lines = calls?.cookies else { return }
        switch reply {
        case .json(let body, let cookie):
            client.respond(
                with: StaticResponse(contentType: "application/json", fields: Self.fields(cookie, lines), body: body))
        case .accepted: client.respond(with: StaticResponse(contentType: nil))
        case .eventStored: client.respond(with: StaticResponse(status: 202, contentType: nil))
        case .eventRejected(let error):
            client.respond(
                with: StaticResponse(
                    status: 400, contentType: "application/json",
                    fields: [("Content-Language", "en"), ("X-Content-Type-Options", "nosniff")], body: error.body))
        case .done(let cookie):
            client.respond(with: StaticResponse(status: 204, contentType: nil, fields: Self.fields(cookie, lines)))
        case .refused(var denial, let cookie):
            denial.cookieLine = cookie.map(lines.lines(of:))
            client.deny(denial)
        case .redirect(let location, let cookies):
            let fields = FlowCookie.pageFields + cookies.flatMap { lines.fields(of: $0) }
            client.respond(with: StaticResponse(seeOther: location, fields: fields))
        case .authorization(let url, let binding):
            let body = ObjectText.object { $0.add("authorization_url", url) }
            let fields = Self.fields(nil, lines) + [("Set-Cookie", lines.value(ofBinding: binding))]
            client.respond(with: StaticResponse(contentType: "application/json", fields: fields, body: body))
        case .page(let page): client.respond(with: StaticResponse(badRequest: page, fields: FlowCookie.pageFields))
        case .onward(let page):
            client.respond(
                with: StaticResponse(
                    contentType: "text/html; charset=utf-8", fields: FlowCookie.pageFields, body: page))
        case .signInPage(let content):
            guard let page = snapshot.signInPage else { return client.deny(Denial(.routeNotFound)) }
            client.respond(
                with: StaticResponse(
                    contentType: "text/html; charset=utf-8", fields: page.fields, body: page.render(content)))
        }
    }

    private static func fields(
        _ cookie: SessionCookie?, _ lines: SessionCookieLines
    ) -> [(name: String, value: String)] {
        [("X-Content-Type-Options", "nosniff")] + (cookie.map(lines.fields(of:)) ?? [])
    }
}

/// The responder of an account request: it reads the body, then serves the call and responds.
final class AccountCallResponder: Responder {
    var responseHasLength: Bool { true }
    private let worker: Worker
    private let client: ClientHandler
    private let number: UInt64
    private let network: PeerNetwork
    private let endpoint: AccountEndpoint
    private let caller: Principal?
    private let contentType: String
    private let browser: BrowserRequest
    private let authorization: [UInt8]?
    private let webhook: AccountCall.WebhookFields?
    private var body: [UInt8] = []
    private var isServed = false
    private var isOver = false
    private var servedUntil = UInt64.max

    init(
        worker: Worker, client: ClientHandler, endpoint: AccountEndpoint, caller: Principal?, contentType: String,
        browser: BrowserRequest, authorization: [UInt8]?, webhook: AccountCall.WebhookFields?
    ) {
        self.worker = worker
        self.client = client
        number = client.record.number
        network = client.origin.network
        self.endpoint = endpoint
        self.caller = caller
        self.contentType = contentType
        self.browser = browser
        self.authorization = authorization
        self.webhook = webhook
    }

    var acceptsBody: Bool { !isOver }

    func bodyPart(_ part: ByteBuffer) {
        guard !isOver, let hasRoom = worker.calls?.hold(part.readableBytes, of: network) else { return }
        guard hasRoom else { return refuse(Denial(.overloaded)) }
        body.append(contentsOf: part.readableBytesView)
    }

    func bodyEnded(trailers: ByteBuffer) {
        guard !isOver, let calls = worker.calls else { return }
        guard calls.running < WorkerCalls.runningLimit else { return refuse(Denial(.overloaded)) }
        worker.calls?.running += 1
        isServed = true
        servedUntil = worker.connectionContext.time &+ WorkerCalls.timeout
        let call = AccountCall(
            endpoint: endpoint, body: body, contentType: contentType,
            caller: caller, network: network,
            requestID: client.record.idText, browser: browser, authorization: authorization, webhook: webhook)
        let bound = NIOLoopBound(self, eventLoop: worker.loop)
        calls.service.serve(call) { reply in
            bound.eventLoop.execute { bound.value.served(reply) }
        }
    }

    func bodyFlush() {}
    func clientWritabilityChanged(isWritable: Bool) {}

    func clientGone() {
        releaseBody()
    }

    func tick(now: UInt64) {
        guard isServed, !isOver, now >= servedUntil else { return }
        refuse(Denial(.overloaded))
    }

    /// Handles the result of a call. Until then, even after a timeout, the call counts as running.
    private func served(_ reply: AccountReply) {
        worker.calls?.running -= 1
        guard !isOver else { return }
        worker.connectionContext.readClock()
        releaseBody()
        guard client.isOpen, client.record.number == number else { return }
        worker.respond(with: reply, to: client)
    }

    private func refuse(_ denial: Denial) {
        releaseBody()
        client.deny(denial)
    }

    private func releaseBody() {
        guard !isOver else { return }
        isOver = true
        worker.calls?.release(body.count, of: network)
        body = []
    }
}
