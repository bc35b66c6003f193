import OperatorConsole

/// A path of the console. Paths match exactly and are not normalised.
enum ConsolePath: Equatable {
    /// `/console`, which leads to the page.
    case home
    /// `/console/`.
    case page
    /// `/console/assets/FILE`.
    case file(ConsoleFile)
    /// `/console/session`: the session of the browser.
    case session
    /// `/console/sign-in`: the navigation to the provider.
    case signIn
    /// `/console/callback`: the navigation from the provider, with its response in the query.
    case callback
    /// `/console/api/...`: a call of the admin API, with its target.
    case api(target: String)
    /// Another path below `/console/`.
    case unknown

    static let files = "/console/assets/"
    static let calls = "/console/api"

    /// Creates the path of a target. `nil` if it is not one of the console. Only a call and a callback have a query.
    init?(target: String) {
        let path = String(target.prefix { $0 != "?" })
        switch path {
        case "/console": self = .home
        case "/console/": self = .page
        case "/console/session": self = .session
        case "/console/sign-in": self = .signIn
        case "/console/callback": self = .callback
        case let path where path.hasPrefix(Self.files):
            self = ConsoleFile(rawValue: String(path.dropFirst(Self.files.count))).map { .file($0) } ?? .unknown
        case let path where path.hasPrefix(Self.calls + "/"):
            self = .api(target: String(target.dropFirst(Self.calls.count)))
        case let path where path.hasPrefix("/console/"): self = .unknown
        default: return nil
        }
    }

    /// The accepted methods, for `Allow`. `nil` for a call, which has its own.
    var methods: [String]? {
        switch self {
        case .home, .page, .file, .unknown: ["GET", "HEAD"]
        case .session: ["GET", "HEAD", "POST", "DELETE"]
        // Each changes the state of a flow.
        case .signIn, .callback: ["GET"]
        case .api: nil
        }
    }
}
