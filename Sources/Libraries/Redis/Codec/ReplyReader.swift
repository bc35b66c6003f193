internal import CHiredis

/// A parser of RESP2 replies. It owns the memory of the current reply and reuses it for the next.
struct ReplyReader: ~Copyable {
    enum Outcome {
        /// A reply, valid until the next call.
        case reply(RedisReply)
        /// More bytes are needed.
        case incomplete
        /// The bytes are not a reply or exceed the limits. The reader accepts no more input.
        case invalid(ReplyDefect)
    }

    private let reader: OpaquePointer?

    init(_ limits: RedisReplyLimits) {
        // If the allocation fails, `next` returns `.invalid`.
        reader = chiredis_reader_create(limits.forReader)
    }

    deinit {
        chiredis_reader_free(reader)
    }

    /// Supplies input, which must remain valid until `next` returns `.incomplete`.
    func feed(_ bytes: UnsafeRawBufferPointer) {
        guard let reader else { return }
        chiredis_reader_give(reader, bytes.baseAddress, bytes.count)
    }

    func next() -> Outcome {
        guard let reader else { return .invalid(.outOfMemory) }
        let outcome = chiredis_reader_next(reader)
        guard outcome >= 0 else { return .invalid(ReplyDefect(outcome)) }
        guard outcome == CHIREDIS_REPLY.rawValue, let nodes = chiredis_reader_nodes(reader) else { return .incomplete }
        return .reply(RedisReply(nodes: nodes, strings: chiredis_reader_bytes(reader)))
    }
}

/// The reason that a reply is invalid.
enum ReplyDefect: Equatable {
    case notRESP
    case tooManyElements
    case tooManyValues
    case tooDeep
    case stringTooLong
    case replyTooLong
    case lineTooLong
    case resp3
    case outOfMemory

    init(_ outcome: Int32) {
        self =
            switch outcome {
            case CHIREDIS_TOO_MANY_ELEMENTS.rawValue: .tooManyElements
            case CHIREDIS_TOO_MANY_NODES.rawValue: .tooManyValues
            case CHIREDIS_TOO_DEEP.rawValue: .tooDeep
            case CHIREDIS_STRING_TOO_LONG.rawValue: .stringTooLong
            case CHIREDIS_REPLY_TOO_LONG.rawValue: .replyTooLong
            case CHIREDIS_LINE_TOO_LONG.rawValue: .lineTooLong
            case CHIREDIS_RESP3.rawValue: .resp3
            case CHIREDIS_OUT_OF_MEMORY.rawValue: .outOfMemory
            default: .notRESP
            }
    }
}
