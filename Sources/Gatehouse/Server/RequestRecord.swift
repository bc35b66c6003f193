import HTTPWire

/// What is known of one request while it is served: for its answer, the access log and the metrics.
struct RequestRecord {
    /// Who began the request and sees it to its end, whatever is installed meanwhile; nil: nothing is being served.
    var handler: (any RequestHandler)?
    /// Tells requests of one connection apart, so that what arrives late for an earlier one is dropped.
    var number: UInt64 = 0
    /// 128 random bits, spelled as 32 hexadecimal digits on the wire.
    var id: (UInt64, UInt64) = (0, 0)
    /// Monotonic nanoseconds: the head was complete; the decision was made; the upstream got the head; its answer began.
    var began: UInt64 = 0
    var decided: UInt64 = 0
    var forwarded: UInt64 = 0
    var answered: UInt64 = 0
    /// Offsets into the request's head.
    var method = ByteRange(start: 0, length: 0)
    var path = ByteRange(start: 0, length: 0)
    var isHead = false
    var minorVersion: UInt8 = 1
    var expectsContinue = false
    var wantsGRPC = false
    /// The upstream is asked to switch protocols.
    var asksForTunnel = false
    /// Index of the route and of the upstream; -1: none.
    var route = -1
    var upstream = -1
    /// Who is asking; nil: anonymous, or not known.
    var identity: VerifiedTokenCache.Entry?
    var code: DecisionCode = .ok
    var status: UInt16 = 0
    /// Body bytes received from, and bytes sent to, the client.
    var bytesIn: UInt64 = 0
    var bytesOut: UInt64 = 0
    /// How often the request was given to an upstream connection.
    var attempts = 0
    /// Until when the request may wait for keys or the store; 0: it has not waited.
    var waitsUntil: UInt64 = 0
    /// How many fetches of the key set had ended when the request began to wait for one; nil: it has not.
    var fetchesBeforeWait: UInt64?
    /// Identity Toolkit was asked about the user for this request, and did not tell.
    var accountIsUnknown = false
    /// What few requests have, behind one reference: each of an ordinary request's would be released at its end.
    private var rarities: Rarities?
    /// The most bytes that the body may have; nil: no bound.
    var bodyLimit: Int?
    /// A refusal takes the session cookie away.
    var clearsCookie = false
    /// What the route's answers have besides; nil: nothing, or the route is not known yet.
    var additions: AnswerAdditions?
    /// The place of the request's origin among those of the route's CORS.
    var corsOrigin = CORSPolicy.nowhere
    /// The request was taken out of the buckets of its route, and of its user.
    var isCounted = false
    var isCountedForUser = false
    /// The trace that the request is part of; zero: not known, since it was not forwarded.
    var trace: (UInt64, UInt64) = (0, 0)
}

extension RequestRecord {
    /// Not changed once made: a copy of the record keeps its own.
    private final class Rarities {
        let tried: [Int]
        let reason, rule: String?

        init(tried: [Int], reason: String?, rule: String?) {
            self.tried = tried
            self.reason = reason
            self.rule = rule
        }
    }

    /// The servers of its upstream where it failed.
    var tried: [Int] {
        get { rarities?.tried ?? [] }
        set { rarities = Rarities(tried: newValue, reason: reason, rule: rule) }
    }

    /// Why the request was refused, precisely: for the log, never for the client.
    var reason: String? {
        get { rarities?.reason }
        set { rarities = Rarities(tried: tried, reason: newValue, rule: rule) }
    }

    /// The `allow` that decided, `FILE:LINE`: for the log, never for the client.
    var rule: String? {
        get { rarities?.rule }
        set { rarities = Rarities(tried: tried, reason: reason, rule: newValue) }
    }

    /// The id as it is spelled everywhere.
    var idText: String { Hexadecimal.text(of: id) }
}
