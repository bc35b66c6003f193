package import GatewayCore
import JOSE

/// The response of `POST /decide`: the decision with its reasons, as JSON.
package struct Verdict: Sendable {
    package var code: DecisionCode
    /// The status that a client of the gateway would receive. 200 if the request is permitted.
    package var status: UInt16
    /// The phase that denied the request. `nil` if it was not denied.
    package var phase: DecisionPhase?
    package var detail: String?
    /// The reason as in the access log.
    package var reason: String?
    package var rule: String?
    package var route: String?
    /// The maximum age of a sign-in that the route requires, in seconds.
    package var maxAge: Int64?
    /// The identity lines for the service, each with its CRLF.
    package var identity: [UInt8] = []

    package init(code: DecisionCode, status: UInt16) {
        self.code = code
        self.status = status
    }

    /// Creates the decision about a request of a list that does not describe a request.
    ///
    /// - Parameter reason: The reason, without input.
    package init(malformed reason: String) {
        self.init(code: .malformedRequest, status: DecisionCode.malformedRequest.status)
        phase = .origin
        detail = "The request for a decision is rejected: \(reason)."
        self.reason = reason
    }

    /// The document.
    package var json: [UInt8] {
        var json = Array("{\"allow\":\(code == .ok),\"status\":\(status),\"code\":\"\(code.wire)\"".utf8)
        if let phase { json += ",\"phase\":\"\(phase.name)\"".utf8 }
        for (name, text) in [("detail", detail), ("reason", reason), ("rule", rule), ("route", route)] {
            guard let text else { continue }
            json += ",\"\(name)\":".utf8
            JSONWriter.appendString(text, to: &json)
        }
        if let maxAge { json += ",\"max_age\":\(maxAge)".utf8 }
        if code == .ok { appendIdentity(to: &json) }
        json.append(UInt8(ascii: "}"))
        return json
    }

    private func appendIdentity(to json: inout [UInt8]) {
        json += ",\"identity\":{".utf8
        for line in PermittingResponse.lines(of: identity) {
            let text = String(decoding: identity[line.range], as: UTF8.self)
            let value = text.drop { $0 != ":" }.dropFirst(2).prefix { !$0.isNewline }
            JSONWriter.appendName(line.name, to: &json)
            JSONWriter.appendString(String(value), to: &json)
        }
        json.append(UInt8(ascii: "}"))
    }
}
