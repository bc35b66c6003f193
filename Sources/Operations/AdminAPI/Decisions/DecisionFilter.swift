import GatewayCore
import JOSE
import PrintableText
import Revocation
import TextCoding

/// The parameters of a viewer: which decisions it receives, and how it sees them.
///
/// A filter applies to the values that the viewer sees. It can therefore not find out what is masked.
package struct DecisionFilter: Sendable, Equatable {
    /// The outcomes to show.
    enum Outcome: Sendable, Equatable {
        case any, denied
        case code(DecisionCode)
    }

    /// The maximum numbers of events per second, and of seconds of a stream.
    static let highestRate: Int64 = 200
    static let longestTime: Int64 = 300
    /// The widths of masked networks, in bits.
    static let masks = (version4: 24, version6: 48)
    /// The route without a pattern.
    static let noRoute = "none"

    /// Whether personal data is masked: uid, address, path and reason.
    package var isMasked = true
    /// The pattern of the route. `nil` for every request.
    var route: String?
    var outcome = Outcome.any
    /// The phase that denied. `nil` for every request.
    var phase: DecisionPhase?
    /// The beginning of the shown uid. `nil` for every request.
    var uid: String?
    /// The network of the client. `nil` for every request.
    var client: AddressRange?
    /// Events per second.
    var rate = 20
    /// The duration of the stream, in seconds.
    var seconds = longestTime
    /// The client, which is no parameter.
    var owner = Owner()

    /// The client of a stream, for the bounds of streams.
    struct Owner: Sendable, Equatable {
        /// The session of the console. `nil` for a token.
        var session: String?
        /// Whether it has the role viewer.
        var isViewer = false
    }

    /// Creates the default parameters.
    init() {}

    /// Parses the query of a request.
    init(_ query: AdminQuery) throws(AdministrationError) {
        let values = try query.values(["route", "code", "phase", "uid", "client", "rate", "seconds", "unmask"])
        switch values["unmask"] {
        case nil, "false": break
        case "true": isMasked = false
        default: throw .invalid("unmask is neither true nor false.")
        }
        route = values["route"]
        if let text = values["code"] { outcome = try Self.outcome(text) }
        if let text = values["phase"] {
            phase = DecisionPhase.allCases.first { "\($0.name)" == text }
            guard phase != nil else { throw .invalid("phase is not a phase of a decision.") }
        }
        uid = values["uid"]
        if let text = values["client"] { client = try network(text) }
        rate = Int(try values.number("rate", in: 1...Self.highestRate) ?? Int64(rate))
        seconds = try values.number("seconds", in: 1...Self.longestTime) ?? seconds
    }

    private static func outcome(_ text: String) throws(AdministrationError) -> Outcome {
        if text == "denied" { return .denied }
        guard let code = DecisionCode.allCases.first(where: { "\($0.wire)" == text }) else {
            throw .invalid("code is neither denied nor a code of a decision.")
        }
        return .code(code)
    }

    private func network(_ text: String) throws(AdministrationError) -> AddressRange {
        guard let range = try? AddressRange(parsing: text) else {
            throw .invalid("client is not an address or a network, such as 192.0.2.0/24.")
        }
        guard !isMasked || range.length <= (range.isVersion4 ? Self.masks.version4 : Self.masks.version6) else {
            throw .invalid(
                "client is narrower than a masked network, /\(Self.masks.version4) or /\(Self.masks.version6).")
        }
        return range
    }

    /// The parameters for the audit log. A text with a space or another separator is quoted, so that it cannot state a
    /// further parameter. A uid or an address is part of them only if it is not masked.
    package var text: String {
        var parts: [String] = []
        if let route { parts.append("route=\(PrintableText.field(route))") }
        switch outcome {
        case .any: break
        case .denied: parts.append("code=denied")
        case .code(let code): parts.append("code=\(code.wire)")
        }
        if let phase { parts.append("phase=\(phase.name)") }
        if let uid { parts.append("uid=\(PrintableText.field(uid))") }
        if let client { parts.append("client=\(client)") }
        return parts.joined(separator: " ")
    }

    // MARK: - Requests

    /// Returns whether the viewer receives a decision.
    func matches(_ record: inout DecisionRecord, _ pseudonyms: UserPseudonyms) -> Bool {
        guard route.map({ $0 == record.route ?? Self.noRoute }) ?? true, phase == nil || phase == record.phase else {
            return false
        }
        switch outcome {
        case .any: break
        case .denied where record.code == .ok: return false
        case .denied: break
        case .code(let code): if code != record.code { return false }
        }
        if let client, record.client?.isIn(client) != true { return false }
        guard let uid else { return true }
        return shownUser(of: &record, pseudonyms).map { $0.utf8.starts(with: uid.utf8) } ?? false
    }

    /// Returns the uid as the viewer sees it.
    func shownUser(of record: inout DecisionRecord, _ pseudonyms: UserPseudonyms) -> String? {
        isMasked ? record.pseudonym(pseudonyms) : record.user?.uid
    }

    /// Returns the address as the viewer sees it.
    func shown(_ client: PeerAddress?) -> String? {
        guard let client else { return nil }
        return isMasked ? client.networkText(Self.masks.version4, Self.masks.version6) ?? client.text : client.text
    }
}

/// Names of users that do not reveal their uids. A name stays the same as long as the process runs.
package struct UserPseudonyms: Sendable {
    private let key: [UInt8]

    /// Creates names with a random key.
    init() {
        key = (0..<4).flatMap { _ in withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) } }
    }

    /// Returns `~` and eight hexadecimal digits.
    func name(of user: UserKey) -> String {
        let parts = [user.project ?? "", user.tenant ?? "", user.uid]
        let text = key + Array(parts.joined(separator: "\u{1F}").utf8)
        let digest = SHA256Hasher()?.hash(text)?.bytes ?? []
        return "~" + HexDigits.text(of: Array(digest.prefix(4)))
    }
}
