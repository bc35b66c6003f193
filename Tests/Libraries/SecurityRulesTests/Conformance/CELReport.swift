/// The counts of the results.
struct CELReport {
    let cases: [(test: CELCase, verdict: CELVerdict, isRespelled: Bool)]

    init(_ cases: [CELCase]) {
        self.cases = cases.map { ($0, CELVerdict($0), CELSubset.spell($0).isRespelled) }
    }

    /// `| FILE | cases | outside | common | respelled | agree | of these, refused at load | differ |`
    func line(_ file: String) -> String {
        let chosen = cases.filter { file == "all" || $0.test.id.hasPrefix(file + "/") }
        let mine = chosen.map(\.verdict)
        let outside = mine.count { if case .outside = $0 { true } else { false } }
        let differ = mine.count { if case .differs = $0 { true } else { false } }
        let respelled = chosen.count { if case .outside = $0.verdict { false } else { $0.isRespelled } }
        let refused = mine.count { $0 == .agreesUnchecked }
        let common = mine.count - outside
        let numbers = [mine.count, outside, common, respelled, common - differ, refused, differ]
        return "| \(file) | " + numbers.map(String.init).joined(separator: " | ") + " |"
    }

    /// `| why | cases |`, for each reason to be outside.
    var outsideLines: [String] {
        CELSubset.Outside.allCases.map { reason in
            "| \(reason.rawValue) | \(cases.count { $0.verdict == .outside(reason) }) |"
        }
    }

    /// `| why | cases |`, for each difference.
    var differenceLines: [String] {
        CELDifferences.outcomes.map { reason in
            let found = cases.count { if case .differs = $0.verdict { reason.explains($0.test) } else { false } }
            return "| \(reason.text) | \(found) |"
        }
    }

    /// `| why | cases |`, for each reason to refuse a case at load that has a value in CEL.
    var refusalLines: [String] {
        CELDifferences.refusals.map { reason in
            "| \(reason.text) | \(cases.count { $0.verdict == .agreesUnchecked && reason.explains($0.test) }) |"
        }
    }
}
