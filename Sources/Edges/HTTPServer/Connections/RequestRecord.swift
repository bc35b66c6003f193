package import GatewayCore
package import HTTPWire

/// What is known of one request while it is served: for its answer, the access log and the metrics.
package struct RequestRecord {
    /// Tells requests of one connection apart, so that what arrives late for an earlier one is dropped.
    package var number: UInt64 = 0
    /// 128 random bits, spelled as 32 hexadecimal digits on the wire.
    package var id: (UInt64, UInt64) = (0, 0)
    /// Monotonic nanoseconds: the head was complete; the decision was made; the upstream got the head; its answer began.
    package var began: UInt64 = 0
    package var decided: UInt64 = 0
    package var forwarded: UInt64 = 0
    package var answered: UInt64 = 0
    /// Offsets into the request's head.
    package var method = ByteRange(start: 0, length: 0)
    package var path = ByteRange(start: 0, length: 0)
    var isHead = false
    package var minorVersion: UInt8 = 1
    var expectsContinue = false
    package var wantsGRPC = false
    /// The upstream is asked to switch protocols.
    var asksForTunnel = false
    /// Index of the upstream; -1: none.
    package var upstream = -1
    /// The phase of the decision that denied the request; `nil`: none did.
    package var deniedIn: DecisionPhase?
    /// A verified identity was found; false also while the request is not authenticated yet.
    package var isAuthenticated = false
    /// The code of a denial once the credential has expired.
    package var expiredCode = DecisionCode.idTokenExpired
    package var code: DecisionCode = .ok
    package var status: UInt16 = 0
    /// Body bytes received from, and bytes sent to, the client.
    package var bytesIn: UInt64 = 0
    package var bytesOut: UInt64 = 0
    /// How often the request was given to an upstream connection.
    package var attempts = 0
    /// What few requests have, behind one reference: each of an ordinary request's would be released at its end.
    private var uncommon: UncommonFields?
    /// The most bytes that the body may have; nil: no bound.
    package var bodyLimit: Int?
    /// A refusal takes the session cookie away.
    package var clearsCookie = false
    /// What the route's answers have besides; nil: nothing, or the route is not known yet.
    package var additions: ResponseFieldPolicy?
    /// The place of the request's origin among those of the route's CORS.
    package var corsOrigin = CORSPolicy.nowhere
    /// The trace that the request is part of; zero: not known, since it was not forwarded.
    package var trace: (UInt64, UInt64) = (0, 0)

    package init() {}
}

extension RequestRecord {
    /// Not changed once made: a copy of the record keeps its own.
    private final class UncommonFields {
        let tried: [Int]
        let reason, rule: String?

        init(tried: [Int], reason: String?, rule: String?) {
            self.tried = tried
            self.reason = reason
            self.rule = rule
        }
    }

    /// The servers of its upstream where it failed.
    package var tried: [Int] {
        get { uncommon?.tried ?? [] }
        set { uncommon = UncommonFields(tried: newValue, reason: reason, rule: rule) }
    }

    /// Why the request was refused, precisely: for the log, never for the client.
    package var reason: String? {
        get { uncommon?.reason }
        set { uncommon = UncommonFields(tried: tried, reason: newValue, rule: rule) }
    }

    /// The `allow` that decided, `FILE:LINE`: for the log, never for the client.
    package var rule: String? {
        get { uncommon?.rule }
        set { uncommon = UncommonFields(tried: tried, reason: reason, rule: newValue) }
    }

    /// The id as it is spelled everywhere.
    package var idText: String { Hexadecimal.text(of: id) }
}
