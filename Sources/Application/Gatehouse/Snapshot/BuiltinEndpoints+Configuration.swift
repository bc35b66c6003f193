import Accounts
import GatewayConfiguration
import GatewayCore
import HTTPServer
import HTTPWire
import RequestPipeline

extension BuiltinEndpoints {
    /// Creates the endpoints. `nil` if there are no builtin endpoints. `flows` are the IDs of the providers with an
    /// authorization-code flow, `assets` the files of the sign-in page. `responseHeaders` are the fields of all
    /// responses. `providers` determine the callbacks.
    convenience init?(
        _ accounts: Configuration.Accounts?, flows: [String] = [], providers: [Configuration.Provider] = [],
        assets: [PageAsset] = [], publishesKeys: Bool,
        opaqueProvider: Int?,
        responseHeaders: Configuration.ResponseHeaders = Configuration.ResponseHeaders()
    ) {
        guard accounts != nil || publishesKeys else { return nil }
        let hasTransmitters = accounts?.transmitters.isEmpty == false
        let endpoints = AccountEndpoint.allCases.filter { endpoint in
            accounts != nil && (!flows.isEmpty || !endpoint.belongsToFlow)
                && (endpoint != .page || accounts?.page != nil)
                && (hasTransmitters || endpoint != .securityEvents)
                && (!endpoint.isCallback || providers.contains { $0.receives(endpoint) })
        }
        let calls = endpoints.flatMap { endpoint in
            let cors = Self.policy(of: endpoint, accounts?.origins ?? [])
            let plan = RoutePlan(
                pattern: endpoint.path, policy: endpoint.policy, upstream: 0, responseTimeout: 0,
                bodyLimit: AccountEndpoint.bodyLimit, opaqueProvider: opaqueProvider,
                additions: ResponseFieldPolicy(cors: cors, common: responseHeaders))
            return (endpoint.hasProvider ? flows : [""]).map { Call(endpoint: endpoint, provider: $0, plan: plan) }
        }
        self.init(
            calls: calls, assets: assets.map { Asset(path: $0.path, tag: $0.tag) }, hasPage: accounts?.demoPage != nil)
    }

    /// Pages of the listed origins may send requests and read the responses.
    private static func policy(of endpoint: AccountEndpoint, _ origins: [String]) -> CORSPolicy? {
        guard !origins.isEmpty, endpoint.takesListedOrigins else { return nil }
        return CORSPolicy(
            origins: origins, methods: endpoint.listedMethods, headers: nil, expose: [], credentials: true,
            maximumAge: 600)
    }
}

extension StaticResponse {
    init(_ page: Configuration.DemoPage) {
        self.init(
            contentType: "text/html; charset=utf-8", caching: "no-store",
            fields: [
                ("Content-Security-Policy", page.policy), ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
            ], body: page.html)
    }
}

extension Configuration.Provider {
    /// Whether the provider has what a callback needs.
    fileprivate func receives(_ callback: AccountEndpoint) -> Bool {
        switch callback {
        case .facebookDeauthorization: kind == .facebook && opaqueTokens != nil
        case .facebookDeletion: deletionStatusURL != nil
        case .gitHubEvents: webhookSecret != nil
        default: false
        }
    }
}
