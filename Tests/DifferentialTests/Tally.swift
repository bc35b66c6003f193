/// The counts of a run.
struct Tally {
    private(set) var streams = 0
    private(set) var outcomes: [Comparison.Outcome: Int] = [:]
    private(set) var met: [KnownDifference: Int] = [:]
    /// The first failures, each with the seed that reproduces it.
    private(set) var failures: [String] = []

    mutating func add(_ comparison: Comparison, _ stream: Stream, seed: UInt64) {
        streams += 1
        outcomes[comparison.outcome, default: 0] += 1
        for difference in comparison.met { met[difference, default: 0] += 1 }
        let problem = Tally.problem(comparison.outcome)
        if let problem, failures.count < 10 {
            let text = String(decoding: stream.bytes, as: UTF8.self).debugDescription
            failures.append("seed \(seed): \(problem): \(stream.methods.map(\.rawValue)) \(text)")
        }
    }

    private static func problem(_ outcome: Comparison.Outcome) -> String? {
        switch outcome {
        case .failure(let text): text
        case .stricter(let reason) where StricterRule.of(reason) == nil:
            "we alone refuse, for no known reason: \(reason)"
        default: nil
        }
    }
}

extension Tally: CustomStringConvertible {
    /// The counts: by verdict in the first line, then by reason.
    var description: String {
        let verdicts =
            "\(streams) streams: read alike \(count { $0 == .same }), both refuse \(count { $0 == .bothRefuse }), "
            + "only we refuse \(count { if case .stricter = $0 { true } else { false } }), "
            + "NIO refuses sooner \(count { $0 == .undecided }), "
            + "listed difference \(count { if case .listed = $0 { true } else { false } }), "
            + "failed \(count { if case .failure = $0 { true } else { false } })"
        return ([verdicts] + details.sorted { $0.count > $1.count }.map { "  \($0.count) \($0.text)" })
            .joined(separator: "\n")
    }

    private var details: [(text: String, count: Int)] {
        outcomes.compactMap { outcome, count in
            switch outcome {
            case .stricter(let reason): ("only we refuse: \(reason)", count)
            case .listed(let difference): ("listed: \(difference.rawValue)", count)
            default: nil
            }
        } + met.map { ("met: \($0.rawValue)", $1) }
    }

    private func count(_ matches: (Comparison.Outcome) -> Bool) -> Int {
        outcomes.reduce(0) { matches($1.key) ? $0 + $1.value : $0 }
    }
}
