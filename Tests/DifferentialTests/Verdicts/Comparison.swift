/// The comparison of our reading of a stream with NIO's.
struct Comparison {
    enum Outcome: Hashable {
        /// The same messages, to the same end.
        case same
        /// The same messages, then both refuse.
        case bothRefuse
        /// The same messages, then we refuse, for this reason, bytes that NIO accepts or waits to complete.
        case stricter(String)
        /// The same messages, then NIO refuses a piece of which we would wait for the rest.
        case undecided
        /// The same messages, then they part for a reason that is listed.
        case listed(KnownDifference)
        /// The same messages, then they part for a reason that is not.
        case failure(String)
    }

    private let own: Reading
    private let nio: Reading
    private var methods: ArraySlice<RequestMethod>
    /// The message that is being compared.
    private var index = 0
    /// Listed differences that were met and did not part the two.
    private(set) var met: Set<KnownDifference> = []
    private(set) var outcome = Outcome.same

    init(_ own: Reading, _ nio: Reading, of stream: Stream) {
        self.own = own
        self.nio = nio
        methods = stream.methods[...]
        outcome = compare()
    }

    private mutating func compare() -> Outcome {
        while index < own.messages.count, index < nio.messages.count {
            let (mine, theirs) = (own.messages[index], nio.messages[index])
            if let outcome = compareHeads(mine, theirs) ?? compareBodies(mine, theirs) { return outcome }
            if !mine.isInterim { methods = methods.dropFirst() }
            index += 1
        }
        return compareEnds(own.next(at: index), nio.next(at: index))
    }

    private mutating func compareHeads(_ mine: ReadMessage, _ theirs: ReadMessage) -> Outcome? {
        guard mine.start == theirs.start, mine.minorVersion == theirs.minorVersion else {
            return .failure("first lines differ")
        }
        guard agree(mine.fields, theirs.fields) else { return .failure("fields differ") }
        if let difference = KnownDifference(framing: mine, to: methods.first) { return .listed(difference) }
        // The final response decides whether the connection stays open (RFC 9112 section 9.6).
        guard mine.keepAlive != theirs.keepAlive, !mine.isInterim else { return nil }
        if let difference = KnownDifference(keepAlive: mine, to: methods.first) { return .listed(difference) }
        return .failure(mine.keepAlive ? "we keep alive what NIO closes" : "we close what NIO keeps alive")
    }

    private mutating func compareBodies(_ mine: ReadMessage, _ theirs: ReadMessage) -> Outcome? {
        switch (mine.end, theirs.end) {
        case (let end?, let piece?):
            guard piece.contains(end.lowerBound) else { return .failure("messages end at different places") }
            guard mine.body == theirs.body else { return .failure("bodies differ") }
            return agree(mine.trailers, theirs.trailers) ? nil : .failure("trailers differ")
        case (nil, nil):
            guard mine.body == theirs.body || own.isRefused || nio.isRefused else { return .failure("bodies differ") }
            return compareEnds(own.ending, nio.ending)
        case (_?, nil): return nio.refusal.map(looser) ?? .failure("only our message ends")
        case (nil, _?): return own.refusal.map(Outcome.stricter) ?? .failure("only NIO's message ends")
        }
    }

    /// Whether the fields are the same. NIO leaves whitespace at a value's end.
    private mutating func agree(_ mine: [ReadField], _ theirs: [ReadField]) -> Bool {
        if mine == theirs { return true }
        met.insert(.whitespaceAfterValue)
        return mine == theirs.map { ReadField(name: $0.name, value: $0.value.withoutWhitespaceAtEnd) }
    }

    private func compareEnds(_ mine: Reading.Ending?, _ theirs: Reading.Ending?) -> Outcome {
        switch (mine, theirs) {
        case (.refused, .refused): .bothRefuse
        case (.refused(let reason), _): .stricter(reason)
        case (.waiting, .refused): .undecided
        case (.waiting(doomed: let reason?), nil): .stricter(reason)
        // No request is open, or the connection ended: neither reads further bytes.
        case (.closed, _): .same
        case (nil, .upgraded) where index > 0 && own.messages[index - 1].minorVersion == 0:
            .listed(.upgradeOfOldVersion)
        case (.within, .within), (.waiting, .within), (.waiting, .between): .same
        case (.between, .between), (.upgraded, .closed): .same
        case (.between, .upgraded), (.upgraded, .upgraded), (.upgraded, .between): .same
        case (.within, .upgraded), (.waiting, .upgraded): .same
        case (.upgraded, _) where own.messages.last?.upgradesToNothing == true:
            .listed(.upgradeToNothing)
        case (_, .refused(let reason)): looser(reason)
        default: .failure("we end \(mine.map { "\($0)" } ?? "further"), NIO \(theirs.map { "\($0)" } ?? "further")")
        }
    }

    /// The outcome for bytes that we accept and NIO refuses.
    private func looser(_ nioReason: String) -> Outcome {
        let mine = index < own.messages.count ? own.messages[index] : nil
        let previous = index > 0 ? own.messages[index - 1] : nil
        if let difference = KnownDifference(refusedByNIO: nioReason, mine, after: previous) {
            return .listed(difference)
        }
        return .failure("we accept what NIO refuses: \(nioReason)")
    }
}

extension Reading {
    /// The ending after the first `index` messages. `nil` if another message follows.
    fileprivate func next(at index: Int) -> Ending? { messages.count > index ? nil : ending }

    fileprivate var refusal: String? { if case .refused(let reason) = ending { reason } else { nil } }

    fileprivate var isRefused: Bool { refusal != nil }
}

extension ReadMessage {
    /// Whether there are `Upgrade` fields that name no protocol.
    fileprivate var upgradesToNothing: Bool {
        let values = values("upgrade")
        return !values.isEmpty && values.allSatisfy(\.isEmpty)
    }
}

extension String {
    fileprivate var withoutWhitespaceAtEnd: String {
        String(decoding: Array(utf8.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed()), as: UTF8.self)
    }
}
