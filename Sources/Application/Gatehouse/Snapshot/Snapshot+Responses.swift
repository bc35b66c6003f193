import GatewayConfiguration
import GatewayCore

extension CORSPolicy {
    /// - Parameter methods: those of the route; empty: any.
    convenience init(_ cors: Configuration.CORS, methods: [String]) {
        var methods = cors.methods ?? methods
        if methods.contains("GET"), !methods.contains("HEAD") { methods.append("HEAD") }
        self.init(
            origins: cors.origins, methods: methods, headers: cors.headers, expose: cors.expose,
            credentials: cors.credentials, maximumAge: cors.maximumAge.components.seconds)
    }
}

extension AnswerAdditions {
    /// `nil` if responses are left as they are.
    ///
    /// - Parameters:
    ///   - common: what holds for all routes.
    ///   - headers: what holds besides for this one, and before that.
    convenience init?(
        cors: CORSPolicy? = nil, common: Configuration.ResponseHeaders,
        _ headers: Configuration.ResponseHeaders = Configuration.ResponseHeaders()
    ) {
        let own = Set((headers.set.map(\.name) + headers.remove).map(FieldName.normalized))
        let set = common.set.filter { !own.contains(FieldName.normalized($0.name)) } + headers.set
        self.init(cors: cors, set: set.map { ($0.name, $0.value) }, removed: common.remove + headers.remove)
    }
}
