/// The files that the page of the console loads. Every address is relative, so that a proxy may serve the console below
/// any path.
package enum ConsoleFile: String, CaseIterable, Sendable {
    case style = "console.css"
    case script = "console.js"
    case dom = "dom.js"
    case users = "users.js"

    /// The media type.
    package var contentType: String {
        self == .style ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
    }

    package var body: [UInt8] {
        switch self {
        case .style: PackageResources.console_css
        case .script: PackageResources.console_js
        case .dom: PackageResources.dom_js
        case .users: PackageResources.users_js
        }
    }
}
