import GatewayCore
import JOSE
import Observability

extension AdminDocument {
    /// Returns samples. Every list has one value for each time.
    static func history(_ history: AdministeredHistory) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("now", history.now)
                body.add("started_at", history.startedAt)
                body.add("interval", Int64(GatewayHistory.interval))
                body.add("capacity", Int64(GatewayHistory.capacity))
                body.add("times", json: list(history.report.times.map { UInt64(clamping: $0) }))
                add(history.report.series, to: &body)
            })
    }

    private static func add(_ members: [HistoryReport.Member], to body: inout ObjectText) {
        for member in members {
            switch member.part {
            case .values(let values): body.add(member.name, json: list(values))
            case .group(let members): body.add(member.name, json: ObjectText.object { add(members, to: &$0) })
            }
        }
    }

    private static func list(_ values: [UInt64?]) -> [UInt8] {
        Array("[\(values.map { $0.map(String.init) ?? "null" }.joined(separator: ","))]".utf8)
    }
}
