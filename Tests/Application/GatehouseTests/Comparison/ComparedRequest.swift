@testable import Authentication
@testable import Diagnostics
@testable import GatewayCore
@testable import Revocation

/// The fields with credentials, and the subjects of the records.
struct ComparedCredential: Sendable {
    /// The records that can concern a credential.
    struct Subject: Sendable {
        var user: UserKey
        var session: String?
        var link: UserKey?
    }

    let name: String
    var fields: [(name: String, value: String)] = []
    var query: String?
    /// `nil` if the credential is not valid.
    var subject: Subject?
}

/// The records of the subject of a credential.
struct ComparedRecords: Sendable {
    /// The records that the gateway and `explain` can read.
    enum Source: Sendable {
        case fresh
        /// The gateway's view is stale, and `explain` cannot read the store.
        case stale
        /// The gateway can read the records; `explain` cannot.
        case hidden
    }

    let name: String
    var user = RecordWord.none
    var session = RecordWord.none
    var link = RecordWord.none
    var source = Source.fresh
}

/// One request of the comparison.
struct ComparedRequest: Sendable {
    var method = "GET"
    var target: String
    var host = "a.example"
    var fields: [(name: String, value: String)] = []
    var body = ""
    var credential = ComparedCredential(name: "none")
    var records = ComparedRecords(name: "none")

    /// The request in the form that `explain` reads.
    var explained: ExplainedRequest {
        var target = target
        if let query = credential.query { target += (target.contains("?") ? "&" : "?") + query }
        var fields = [("Host", host)] + credential.fields + fields
        if !body.isEmpty { fields.append(("Content-Length", "\(body.utf8.count)")) }
        return ExplainedRequest(method: method, url: target, fields: fields)
    }
}

/// How a request ends.
enum ComparedOutcome: Equatable {
    case forwarded(upstream: String, line: String, identity: [String])
    /// The phase is `nil` if no phase of the pipeline denied the request.
    case denied(code: String, status: Int, phase: DecisionPhase?, fields: [String])
    case answered(status: Int, fields: [String])
    /// `explain` cannot determine it.
    case undetermined(String)
    /// The gateway sent no response in time.
    case unanswered

    /// The outcome of a request whose response has no body.
    var withoutBody: ComparedOutcome {
        guard case .denied(_, let status, let phase, let fields) = self else { return self }
        return .denied(
            code: "none", status: status, phase: phase, fields: fields.filter { !$0.hasPrefix("detail:") })
    }
}
