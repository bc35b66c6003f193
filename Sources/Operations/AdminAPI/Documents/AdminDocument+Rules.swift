import GatewayCore
import SecurityRules

extension AdminDocument {
    /// Returns the active rules with their coverage.
    static func rules(_ rules: AdministeredRules) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("sources", rules.sources) { source, output in source.write(to: &output) }
                body.add("omitted", Int64(rules.omitted))
            })
    }
}

extension AdministeredRules.Source {
    fileprivate func write(to output: inout ObjectText) {
        let points = coverage.points.prefix(AdministeredRules.maximumPoints)
        output.add("file", coverage.file)
        output.add("route", orNull: route)
        output.add("lines", coverage.lines)
        output.add("since", orNull: since)
        output.add("outcomes", Int64(coverage.outcomes))
        output.add("seen", orNull: since.map { _ in Int64(coverage.seen) })
        output.add("expressions", Array(points)) { point, output in
            output.add("kind", "\(point.kind)")
            output.add("line", Int64(point.location.line))
            output.add("column", Int64(point.location.column))
            output.add("end_line", Int64(point.end.line))
            output.add("end_column", Int64(point.end.column))
            output.add("true", orNull: since.map { _ in Int64(point.wasTrue) })
            output.add("false", orNull: since.map { _ in Int64(point.wasFalse) })
            output.add("error", orNull: since.map { _ in Int64(point.failed) })
        }
        output.add("omitted", Int64(coverage.points.count - points.count))
    }
}
