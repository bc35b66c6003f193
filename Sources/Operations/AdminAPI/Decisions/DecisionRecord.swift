package import GatewayCore
import PrintableText
package import Revocation

/// A decision for viewers of the admin API, recorded when its response ended. It has no credential and no query.
package struct DecisionRecord: Sendable {
    /// A check of the decision and its result.
    package struct Step: Sendable, Equatable {
        /// The result of a check, as in `explain`.
        package enum Mark: String, Sendable {
            case passed, failed, note
        }

        package var phase: DecisionPhase
        package var mark: Mark
        /// The name of the check, as in `explain`.
        package var name: String
        /// The reason on one line, without personal data.
        package var detail: String

        /// Creates a step.
        package init(_ phase: DecisionPhase, _ mark: Mark, _ name: String, _ detail: String) {
            self.phase = phase
            self.mark = mark
            self.name = name
            self.detail = detail
        }
    }

    /// The maximum sizes of texts of a request, and the maximum number of steps.
    package static let longestPath = 2048
    package static let longestMethod = 32
    static let longestDetail = 200
    static let stepLimit = 40

    /// When the head was complete, in milliseconds since 1970.
    package var time: Int64
    package var requestID: String
    package var code: DecisionCode
    package var isHTTP2 = false
    /// The method and path as sent.
    package var method = ""
    package var path = ""
    /// The pattern of the route. `nil` without one.
    package var route: String?
    /// 0 if the client was gone before a response.
    package var status: UInt16 = 0
    /// The phase that denied the request. `nil` without a denial.
    package var phase: DecisionPhase?
    package var rule: String?
    package var reason: String?
    /// The verified user. `nil` without one.
    package var user: UserKey? {
        didSet { pseudonym = nil }
    }
    /// The pseudonym of the user once it was shown, because it costs a hash for each of many viewers.
    private var pseudonym: String?
    package var client: PeerAddress?
    package var upstream: String?
    /// In microseconds.
    package var duration: UInt64 = 0
    /// The kind of a request of the listener for decisions. `nil` for others.
    package var frontEnd: String?
    package var steps: [Step] = []

    /// Creates a record without its optional parts.
    package init(time: Int64, requestID: String, code: DecisionCode) {
        self.time = time
        self.requestID = requestID
        self.code = code
    }
}

extension DecisionRecord {
    /// Returns the pseudonym of the user. `nil` without a user.
    mutating func pseudonym(_ pseudonyms: UserPseudonyms) -> String? {
        if pseudonym == nil { pseudonym = user.map(pseudonyms.name) }
        return pseudonym
    }

    /// Returns the record as an event, as a viewer sees it.
    mutating func event(for viewer: DecisionFilter, pseudonyms: UserPseudonyms) -> [UInt8] {
        let isMasked = viewer.isMasked
        let uid = viewer.shownUser(of: &self, pseudonyms)
        let json = ObjectText.object { body in
            body.add("at_ms", time)
            body.add("request_id", requestID)
            body.add("protocol", isHTTP2 ? "2" : "1.1")
            body.add("method", String(method.unicodeScalars.prefix(Self.longestMethod)))
            body.add("route", orNull: route)
            body.add("path", orNull: isMasked ? nil : String(path.unicodeScalars.prefix(Self.longestPath)))
            body.add("status", orNull: status == 0 ? nil : Int64(status))
            body.add("code", "\(code.wire)")
            body.add("phase", orNull: phase.map { "\($0.name)" })
            body.add("rule", orNull: rule)
            body.add("reason", orNull: isMasked ? nil : reason)
            body.add("uid", orNull: uid)
            body.add("tenant", orNull: user?.tenant)
            body.add("project", orNull: user?.project)
            body.add("client", orNull: viewer.shown(client))
            body.add("upstream", orNull: upstream)
            body.add("duration_us", Int64(clamping: duration))
            body.add("front_end", orNull: frontEnd)
            body.add("steps", Array(steps.prefix(Self.stepLimit))) { step, output in
                output.add("phase", "\(step.phase.name)")
                output.add("name", step.name)
                output.add("mark", step.mark.rawValue)
                output.add("detail", String(step.detail.unicodeScalars.prefix(Self.longestDetail)))
            }
        }
        return ServerSentEvent.bytes("decision", json)
    }
}

/// An event of a stream of server-sent events.
enum ServerSentEvent {
    /// A comment, which keeps the connection in use.
    static let heartbeat = Array(": \n\n".utf8)

    /// Returns an event with one line of data.
    static func bytes(_ name: String, _ json: [UInt8]) -> [UInt8] {
        Array("event: \(name)\ndata: \(PrintableText.escaped(String(decoding: json, as: UTF8.self)))\n\n".utf8)
    }
}
