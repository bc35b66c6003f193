import Foundation
import Testing

@testable import SystemFixtures

/// The dashboard for Grafana in `deploy/grafana`.
@Suite struct DashboardTests {
    private typealias Object = [String: Any]

    private static let path = Repository.root.appending(path: "deploy/grafana/dashboards/gatehouse.json").path
    /// Variables of Grafana itself.
    private static let builtin: Set = ["__rate_interval", "__interval"]

    private let dashboard: Object
    /// All panels except rows.
    private let panels: [Object]

    init() throws {
        let data = try Data(contentsOf: URL(filePath: Self.path))
        dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? Object)
        panels = Self.objects(dashboard["panels"]).filter { $0["type"] as? String != "row" }
    }

    private static func objects(_ value: Any?) -> [Object] { value as? [Object] ?? [] }

    private static func member(_ value: Any?, _ path: String...) -> Any? {
        path.reduce(value) { ($0 as? Object)?[$1] }
    }

    private var annotations: [Object] { Self.objects(Self.member(dashboard, "annotations", "list")) }
    private var variables: [Object] { Self.objects(Self.member(dashboard, "templating", "list")) }

    /// The expressions of the panels and annotations, with the name of the panel or annotation.
    private var expressions: [(place: String, text: String)] {
        let ofPanels = panels.flatMap { panel in
            Self.objects(panel["targets"]).map { (panel["title"] as? String ?? "", $0["expr"] as? String ?? "") }
        }
        return ofPanels
            + annotations.compactMap { note in
                (note["expr"] as? String).map { (note["name"] as? String ?? "", $0) }
            }
    }

    @Test func `each panel has a description, a unit and the chosen data source`() throws {
        #expect(panels.count > 40)
        for panel in panels {
            let title = panel["title"] as? String ?? ""
            #expect(!title.isEmpty)
            #expect((panel["description"] as? String ?? "").count > 10, "\(title)")
            #expect(Self.member(panel, "fieldConfig", "defaults", "unit") is String, "\(title)")
            let targets = Self.objects(panel["targets"])
            #expect(!targets.isEmpty, "\(title)")
            for source in [panel] + targets {
                #expect(Self.member(source, "datasource", "uid") as? String == "${datasource}", "\(title)")
            }
        }
    }

    @Test func `the panels have unique numbers and do not overlap`() throws {
        let all = Self.objects(dashboard["panels"])
        let numbers = all.compactMap { $0["id"] as? Int }
        #expect(numbers.count == all.count && Set(numbers).count == numbers.count)
        var taken: Set<[Int]> = []
        for panel in all {
            let place = try #require(panel["gridPos"] as? [String: Int])
            let (x, y) = (try #require(place["x"]), try #require(place["y"]))
            let (width, height) = (try #require(place["w"]), try #require(place["h"]))
            #expect(x + width <= 24)
            for column in x..<(x + width) {
                for line in y..<(y + height) {
                    #expect(taken.insert([column, line]).inserted, "\(panel["title"] ?? "") overlaps")
                }
            }
        }
    }

    @Test(.enabled(if: Promtool.isInstalled, Comment(rawValue: Promtool.absence)))
    func `promtool accepts every expression`() throws {
        let texts = expressions.map { expression in
            expression.text.replacing("$__rate_interval", with: "5m").replacing("$__interval", with: "1m")
        }
        let output = try Promtool.check(expressions: texts)
        #expect(output.contains("SUCCESS: \(texts.count) rules found") && !output.contains("FAILED"), "\(output)")
    }

    @Test func `the expressions use metrics and labels that exist`() throws {
        let page = try MetricsPage()
        let records = try RulesFile().records
        let ofVariables = variables.compactMap { ($0["definition"] as? String).map { ("variable", $0) } }
        for (place, text) in expressions + ofVariables {
            let flaws = page.flaws(of: text, records: records)
            #expect(flaws.isEmpty, "\(place): \(flaws)")
        }
    }

    @Test func `the expressions use variables that exist`() throws {
        let names = Set(variables.compactMap { $0["name"] as? String })
        #expect(names == ["datasource", "job", "instance", "route"])
        for (place, text) in expressions {
            let used = Set(text.matches(of: #/\$\{?(\w+)/#).map { String($0.1) })
            #expect(used.subtracting(names).subtracting(Self.builtin).isEmpty, "\(place)")
            #expect(used.contains("job"), "\(place) does not select the job")
        }
    }

    @Test func `a panel that turns red states when`() throws {
        for panel in panels {
            let thresholds = Self.member(panel, "fieldConfig", "defaults", "thresholds", "steps")
            let isRed = Self.objects(thresholds).contains { $0["color"] as? String == "red" }
            let description = panel["description"] as? String ?? ""
            #expect(isRed == description.contains(#/\bRed\b/#), "\(panel["title"] ?? "")")
        }
    }
}
