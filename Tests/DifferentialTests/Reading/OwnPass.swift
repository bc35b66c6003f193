import HTTPWire

/// One pass over one stream.
struct OwnPass {
    enum State {
        case head
        case length(UInt64)
        case chunked(ChunkDecoder)
        case untilClose
        case ended(Reading.Ending)
    }

    let bytes: UnsafeRawBufferPointer
    let fields: FieldTable
    private let kind: Stream.Kind
    private var methods: ArraySlice<RequestMethod>
    var state = State.head
    var reading = Reading()
    var position = 0
    var available = 0
    private var scanned = 0
    /// How the connection ends after the current message. `nil` if another message may follow.
    var afterwards: Reading.Ending?

    init(stream: Stream, bytes: UnsafeRawBufferPointer, fields: FieldTable) {
        self.bytes = bytes
        self.fields = fields
        kind = stream.kind
        methods = stream.methods[...]
    }

    var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position..<available]) }

    mutating func receive(upTo cut: Int) {
        available = cut
        while advance() {}
    }

    mutating func finish() -> Reading {
        switch state {
        case .ended(let ending): reading.ending = ending
        case .head: reading.ending = position == available ? .between : .waiting(doomed: doom())
        case .untilClose:
            reading.messages[reading.messages.count - 1].end = position...position
            reading.ending = .closed
        case .length: reading.ending = .within
        case .chunked: reading.ending = position == available ? .within : .waiting(doomed: nil)
        }
        return reading
    }

    /// The reason why the current head is rejected even if it ends here. `nil` if it may still become valid.
    private func doom() -> String? {
        let head = Array(unread) + Array("\r\n\r\n".utf8)
        return head.withUnsafeBytes { head in
            do throws(HeadError) {
                switch kind {
                case .requests: _ = try RequestParser.parse(head, fields: fields)
                case .responses: _ = try ResponseParser.parse(head, requestMethod: .get, fields: fields)
                }
                return nil
            } catch {
                return error.description
            }
        }
    }

    /// Reads the next part. Returns false if that needs more bytes.
    private mutating func advance() -> Bool {
        switch state {
        case .head: return takeHead()
        case .length(let remaining): return takeBody(remaining)
        case .chunked(let decoder): return takeChunk(decoder)
        case .untilClose:
            appendBody(unread)
            return false
        case .ended: return false
        }
    }

    private mutating func takeHead() -> Bool {
        guard position < available else { return false }
        let limit = HeadLimits().size
        guard let length = HeadScan.end(in: unread, scanned: &scanned), length <= limit else {
            // The parser is never shown a head above the limit, whole or not.
            if scanned > limit || unread.count > limit { refuse(HeadError.tooLarge.description) }
            return false
        }
        scanned = 0
        let head = UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
        position += length
        do throws(HeadError) { try begin(head) } catch { refuse(error.description) }
        return true
    }

    private mutating func begin(_ head: UnsafeRawBufferPointer) throws(HeadError) {
        switch kind {
        case .requests: begin(try RequestParser.parse(head, fields: fields), head)
        case .responses:
            guard let method = methods.first else { return end(.closed) }
            begin(try ResponseParser.parse(head, requestMethod: method.own, fields: fields), head, to: method)
        }
    }

    private mutating func begin(_ request: RequestHead, _ head: UnsafeRawBufferPointer) {
        let start = ReadMessage.Start.request(
            method: text(request.methodRange, head), target: text(request.target, head))
        let upgrades = request.hasUpgrade || request.method == .connect
        append(start, request.minorVersion, request.keepAlive, head)
        afterwards = upgrades ? .upgraded : request.keepAlive ? nil : .closed
        beginBody(request.framing)
    }

    private mutating func begin(_ response: ResponseHead, _ head: UnsafeRawBufferPointer, to method: RequestMethod) {
        append(.response(status: response.status), response.minorVersion, response.keepAlive, head)
        if response.isInterim { return endMessage() }
        methods = methods.dropFirst()
        let tunnels = method == .connect && (200..<300).contains(response.status)
        let upgrades = response.isSwitchingProtocols || tunnels
        afterwards = upgrades ? .upgraded : response.keepAlive ? nil : .closed
        beginBody(response.framing)
    }

    private mutating func append(
        _ start: ReadMessage.Start, _ minorVersion: UInt8, _ keepAlive: Bool, _ head: UnsafeRawBufferPointer
    ) {
        reading.messages.append(
            ReadMessage(
                start: start, minorVersion: Int(minorVersion), fields: readFields(head), keepAlive: keepAlive))
    }

    private mutating func beginBody(_ framing: BodyFraming) {
        switch framing {
        case .none, .length(0): endMessage()
        case .length(let length): state = .length(length)
        case .chunked: state = .chunked(ChunkDecoder())
        case .untilClose: state = .untilClose
        }
    }
}
