/// The files that the page of the console loads. Every address is relative, so that a proxy may serve the console below
/// any path.
package enum ConsoleFile: String, CaseIterable, Sendable {
    case style = "console.css"
    case script = "console.js"
    case dom = "dom.js"
    case charts = "charts.js"
    case overview = "overview.js"
    case users = "users.js"
    case live = "live.js"
    case configuration = "configuration.js"
    case rules = "rules.js"
    case playground = "playground.js"
    case fleet = "fleet.js"

    /// The media type.
    package var contentType: String {
        self == .style ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
    }

    package var body: [UInt8] {
        switch self {
        case .style: PackageResources.console_css
        case .script: PackageResources.console_js
        case .dom: PackageResources.dom_js
        case .charts: PackageResources.charts_js
        case .overview: PackageResources.overview_js
        case .users: PackageResources.users_js
        case .live: PackageResources.live_js
        case .configuration: PackageResources.configuration_js
        case .rules: PackageResources.rules_js
        case .playground: PackageResources.playground_js
        case .fleet: PackageResources.fleet_js
        }
    }
}
