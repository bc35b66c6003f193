import Diagnostics
import PrintableText

/// The steps of an explanation as lines: a mark, the check, and the reason.
enum StepLines {
    static func text(of steps: [ExplanationStep]) -> String {
        let width = steps.map(\.name.count).max() ?? 0
        return steps.map { step in
            let name = step.name + String(repeating: " ", count: width - step.name.count)
            return PrintableText.escaped("  \(mark(step.mark))  \(name)  \(step.detail)")
        }.joined(separator: "\n")
    }

    private static func mark(_ mark: ExplanationStep.Mark) -> String {
        switch mark {
        case .passed: "ok"
        case .failed: "NO"
        case .unknown: "??"
        case .note: " -"
        }
    }
}
