package import Redis

/// Record lookups in Redis during a request, over a worker's own pipelined connection.
///
/// A lookup consists of one to three commands in one write. It completes once: with all records, or with a failure.
/// The object belongs to the worker's event loop.
package final class RedisInquiries<Caller> {
    private struct Slot {
        var caller: Caller?
        var missing: UInt8 = 0
        var user: UserLookup?
        var session: SessionLookup?
        var link: UserLookup?
        var failure: StoreFailure?
    }

    /// The maximum number of pending lookups. Further lookups fail at once.
    static var limit: Int { 2048 }

    let link: RedisLink
    /// The timeout of a lookup, in nanoseconds.
    private let timeout: UInt64
    private let deliver: (Caller, StoreRecords) -> Void
    private var slots: [Slot] = []
    private var free: [Int] = []

    /// Creates the lookups of one connection.
    ///
    /// - Parameter deliver: The receiver of results, always called after `query` has returned.
    package init(link: RedisLink, timeout: UInt64, deliver: @escaping (Caller, StoreRecords) -> Void) {
        self.link = link
        self.timeout = timeout
        self.deliver = deliver
    }

    /// Whether there is a connection.
    package var isConnected: Bool { link.isReady }

    /// Whether another lookup can be started.
    package var hasRoom: Bool { waiting < Self.limit }

    /// The number of pending lookups.
    var waiting: Int { slots.count - free.count }

    /// Looks up the requested records of a user, a session and a linked identity. Parts without a command are omitted.
    package func query(_ requested: StoreQuery, _ commands: RecordCommands, for caller: Caller) {
        var query = requested
        if commands.session == nil { query.remove(.session) }
        if commands.link == nil { query.remove(.link) }
        guard !query.isEmpty else { return later(caller, .records(user: nil, session: SessionLookup.none)) }
        guard let number = place(caller, query) else { return later(caller, .failed(.overloaded)) }
        if query.contains(.user) { send(commands.user, number, .user) }
        if query.contains(.session), let session = commands.session { send(session, number, .session) }
        if query.contains(.link), let link = commands.link { send(link, number, .link) }
    }

    private func later(_ caller: Caller, _ records: StoreRecords) {
        link.later { [deliver] in deliver(caller, records) }
    }

    private func place(_ caller: Caller, _ query: StoreQuery) -> Int? {
        let slot = Slot(caller: caller, missing: query.rawValue)
        if let number = free.popLast() {
            slots[number] = slot
            return number
        }
        guard slots.count < Self.limit else { return nil }
        slots.append(slot)
        return slots.count - 1
    }

    private func send(_ command: RedisCommand, _ number: Int, _ part: StoreQuery) {
        link.send(command, ticket: UInt64(number) << 8 | UInt64(part.rawValue), timeout: timeout, to: self)
    }

    private func finish(_ ticket: UInt64, _ take: (inout Slot) -> Void) {
        let number = Int(ticket >> 8)
        take(&slots[number])
        slots[number].missing &= ~UInt8(truncatingIfNeeded: ticket)
        guard slots[number].missing == 0 else { return }
        let slot = slots[number]
        slots[number] = Slot()
        free.append(number)
        guard let caller = slot.caller else { return }
        deliver(
            caller,
            slot.failure.map { .failed($0) }
                ?? .records(user: slot.user, session: slot.session, link: slot.link))
    }
}

extension RedisInquiries: RedisReceiver {
    package func received(_ reply: RedisReply, ticket: UInt64) {
        finish(ticket) { slot in
            do throws(StoreFailure) {
                switch StoreQuery(rawValue: UInt8(truncatingIfNeeded: ticket)) {
                case .user: slot.user = try RedisRecord.user(reply)
                case .link: slot.link = try RedisRecord.user(reply)
                default: slot.session = try RedisRecord.session(reply)
                }
            } catch {
                slot.failure = error
            }
        }
    }

    package func failed(_ failure: RedisFailure, ticket: UInt64) {
        finish(ticket) { $0.failure = StoreFailure(failure) }
    }
}

extension StoreFailure {
    init(_ failure: RedisFailure) {
        self =
            switch failure {
            case .timedOut: .timedOut
            case .overloaded: .overloaded
            case .notConnected, .connectionLost, .closed: .unreachable
            }
    }
}
