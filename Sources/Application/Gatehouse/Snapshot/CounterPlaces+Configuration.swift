import GatewayConfiguration
import GatewayCore

extension CounterPlaces {
    /// Rows for the routes and upstreams of a configuration.
    convenience init(_ configuration: Configuration) {
        let names = Names(configuration)
        self.init(routes: names.routes, upstreams: names.upstreams)
    }
}

extension CounterPlaces.Names {
    init(_ configuration: Configuration) {
        self.init(routes: configuration.routes.map(\.path), upstreams: configuration.upstreams.map(\.name))
    }
}
