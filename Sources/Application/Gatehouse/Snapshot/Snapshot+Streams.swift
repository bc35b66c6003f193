import Authentication
import GatewayConfiguration
import GatewayCore
import RequestPipeline

extension UpgradePlan {
    /// Nil where the route lets requests change to nothing.
    init?(_ route: Configuration.Route) {
        guard !route.upgrade.isEmpty else { return nil }
        self.init(names: route.upgrade.map { Array($0.utf8) })
    }
}

extension CredentialPlaces {
    /// Nil where the route looks nowhere else.
    convenience init?(_ route: Configuration.Route) {
        guard route.tokenQuery != nil || route.tokenProtocol else { return nil }
        self.init(parameter: route.tokenQuery, takesProtocol: route.tokenProtocol)
    }
}

extension StreamBounds {
    /// The route's, else those of `limits`.
    init(_ limits: Configuration.Limits, _ route: Configuration.Route) {
        let grace = (route.streamGrace ?? limits.streamGrace).components
        self.init(
            maximum: (route.maxStream ?? limits.maxStream).nanoseconds,
            grace: grace.seconds + (grace.attoseconds > 0 ? 1 : 0),
            idle: (route.streamIdleTimeout ?? limits.streamIdleTimeout).nanoseconds)
    }
}
