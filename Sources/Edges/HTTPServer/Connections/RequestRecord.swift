package import GatewayCore
package import HTTPWire
import TextCoding

/// The record of the current request, for its response, the access log and the metrics.
package struct RequestRecord {
    /// The number of the request on its connection, by which late results for an earlier request are dropped.
    package var number: UInt64 = 0
    /// 128 random bits, written as 32 hexadecimal digits.
    package var id: (UInt64, UInt64) = (0, 0)
    /// Times in monotonic nanoseconds: the head was complete, the decision was made, the head was forwarded, the
    /// response began.
    package var began: UInt64 = 0
    package var decided: UInt64 = 0
    package var forwarded: UInt64 = 0
    package var responded: UInt64 = 0
    /// Offsets into the request's head.
    package var method = ByteRange(start: 0, length: 0)
    package var path = ByteRange(start: 0, length: 0)
    var isHead = false
    package var minorVersion: UInt8 = 1
    var expectsContinue = false
    package var wantsGRPC = false
    /// When the call ends by its `grpc-timeout`, in monotonic nanoseconds. 0 without one.
    package var deadline: UInt64 = 0
    /// Whether that time has passed.
    package var isPastDeadline = false
    /// Whether the request asks the upstream to switch protocols.
    var requestsTunnel = false
    /// The index of the upstream. -1 if there is no upstream.
    package var upstream = -1
    /// The index of the server's endpoint in the pool of the upstream. -1 if no server has the request.
    package var server = -1
    /// The phase that denied the request. `nil` if it was not denied.
    package var deniedIn: DecisionPhase?
    /// Whether the permission depends on a credential that expires or can be revoked. `false` until one is verified.
    package var hasCredential = false
    /// The code of a denial after the permission expired.
    package var expiredCode = DecisionCode.idTokenExpired
    package var code: DecisionCode = .ok
    package var status: UInt16 = 0
    /// Body bytes received from the client, and bytes sent to it.
    package var bytesIn: UInt64 = 0
    package var bytesOut: UInt64 = 0
    /// The number of attempts on upstream connections.
    package var attempts = 0
    /// Rarely used fields, boxed so that ordinary requests have no further references to release.
    private var uncommon: UncommonFields?
    /// The maximum size of the body, in bytes. `nil` if there is no limit.
    package var bodyLimit: Int?
    /// Whether a denial removes the session cookie.
    package var clearsCookie = false
    /// The route's field policy for responses. `nil` if there is no policy or the route is not known yet.
    package var additions: ResponseFieldPolicy?
    /// The index of the request's origin in the route's CORS policy.
    package var corsOrigin = CORSPolicy.nowhere
    /// The trace ID of the request. Zero until the request is forwarded, or sampled.
    package var trace: (UInt64, UInt64) = (0, 0)

    package init() {}
}

extension RequestRecord {
    /// Immutable, because copies of the record share it.
    private final class UncommonFields {
        let tried: [Int]
        let reason, rule: String?
        let cookieRenewal: CookieRenewal?

        init(tried: [Int], reason: String?, rule: String?, cookieRenewal: CookieRenewal?) {
            self.tried = tried
            self.reason = reason
            self.rule = rule
            self.cookieRenewal = cookieRenewal
        }
    }

    /// The servers of the upstream where the request failed.
    package var tried: [Int] {
        get { uncommon?.tried ?? [] }
        set { uncommon = UncommonFields(tried: newValue, reason: reason, rule: rule, cookieRenewal: cookieRenewal) }
    }

    /// The precise reason of a denial. It is logged and never sent to the client.
    package var reason: String? {
        get { uncommon?.reason }
        set { uncommon = UncommonFields(tried: tried, reason: newValue, rule: rule, cookieRenewal: cookieRenewal) }
    }

    /// The `allow` statement that decided, as `FILE:LINE`. It is logged and never sent to the client.
    package var rule: String? {
        get { uncommon?.rule }
        set { uncommon = UncommonFields(tried: tried, reason: reason, rule: newValue, cookieRenewal: cookieRenewal) }
    }

    /// The renewal of the session cookie with the response of the upstream. `nil` if it is not due.
    package var cookieRenewal: CookieRenewal? {
        get { uncommon?.cookieRenewal }
        set { uncommon = UncommonFields(tried: tried, reason: reason, rule: rule, cookieRenewal: newValue) }
    }

    /// The ID in its textual form.
    package var idText: String { HexDigits.text(of: id) }
}
