@testable import SystemFixtures

/// A request of a proxy at one of the endpoints, about a request to `TARGET`.
enum DecisionRequest {
    static let families = ["forward", "original", "envoy"]

    /// The request of a family's proxy.
    ///
    /// - Parameters:
    ///   - target: The path and query of the original request.
    ///   - fields: The fields of the original request.
    static func of(
        _ family: String, _ target: String, method: String = "GET", host: String = "gateway.example",
        _ fields: [String] = []
    ) -> WireRequest {
        switch family {
        case "forward":
            WireRequest(
                target: "/authz/forward",
                fields: [
                    "X-Forwarded-Method: \(method)", "X-Forwarded-Uri: \(target)", "X-Forwarded-Host: \(host)",
                    "X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.7",
                ] + fields, host: "gatehouse")
        case "original":
            WireRequest(
                target: "/authz/original",
                fields: [
                    "X-Original-Method: \(method)", "X-Original-URL: https://\(host)\(target)",
                    "X-Forwarded-For: 192.0.2.7",
                ] + fields, host: "gatehouse")
        default:
            WireRequest(
                method: method, target: "/authz/envoy\(target)",
                fields: ["X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.7"] + fields, host: host)
        }
    }
}

extension Scenario {
    /// Asks for a decision on a new connection from 127.0.0.1, which the tests trust.
    func decide(
        _ family: String, _ target: String, method: String = "GET", host: String = "gateway.example",
        _ fields: [String] = []
    ) throws -> WireResponse {
        try ask(DecisionRequest.of(family, target, method: method, host: host, fields))
    }

    /// Asks for a decision as nginx does.
    func decide(
        _ target: String, method: String = "GET", host: String = "gateway.example", _ fields: [String] = []
    ) throws -> WireResponse {
        try decide("forward", target, method: method, host: host, fields)
    }

    /// Sends a request to the listener for decisions on a new connection.
    func ask(_ request: WireRequest) throws -> WireResponse {
        try RawClient.exchange(try gateway.decisionsPort, request)
    }
}
