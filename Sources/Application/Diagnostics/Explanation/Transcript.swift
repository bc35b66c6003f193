import GatewayCore

/// The steps of an explanation under construction.
struct Transcript {
    private var steps: [ExplanationStep] = []
    /// The HTTP/2 stream of the request. `nil` for HTTP/1.1.
    private let stream: ExplainedStream?

    init(_ stream: ExplainedStream? = nil) {
        self.stream = stream
    }

    mutating func add(_ step: ExplanationStep) { steps.append(step) }
    mutating func pass(_ name: String, _ detail: String) { add(ExplanationStep(.passed, name, detail)) }
    mutating func fail(_ name: String, _ detail: String) { add(ExplanationStep(.failed, name, detail)) }
    mutating func record(_ name: String, _ detail: String) { add(ExplanationStep(.note, name, detail)) }

    func passes(_ forwarded: Explanation.Forwarded) -> Explanation {
        Explanation(steps: steps, verdict: .passes(forwarded))
    }

    func refused(_ denial: Denial) -> Explanation {
        refused(denial, received: stream?.response(to: denial))
    }

    func refused(_ denial: Denial, received: [HTTP2FrontEnd.Field]?) -> Explanation {
        Explanation(steps: steps, verdict: .refused(Explanation.Refusal(denial, received: received)))
    }

    func ended(_ end: Explanation.StreamEnd) -> Explanation {
        Explanation(steps: steps, verdict: .ended(end))
    }

    func responded(_ status: Int, _ what: String, fields: [String] = []) -> Explanation {
        Explanation(steps: steps, verdict: .responded(Explanation.Response(status: status, what: what, fields: fields)))
    }

    func undetermined(_ why: String) -> Explanation {
        Explanation(steps: steps, verdict: .undetermined(why))
    }
}
