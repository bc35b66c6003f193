import GatewayCore
import Routing

extension Configuration.Route {
    /// Reads what a route does at its edge, besides letting requests pass: CORS, rate limits, answer fields, rewriting.
    mutating func readEdge(_ mapping: MappingReader) {
        let methods = methods
        mapping.set(&cors, "cors") { value in
            value.mapping(.cors).flatMap { Configuration.CORS.read($0, methods: methods) }
        }
        mapping.set(&rateLimits, "rate_limit", Configuration.RateLimit.list)
        mapping.set(&responseHeaders, "response_headers") { $0.responseHeaders() }
        mapping.set(&rewrite, "rewrite") { $0.mapping(.rewrite).flatMap(Configuration.Rewrite.read) }
        checkRewrite(mapping)
    }

    private func checkRewrite(_ mapping: MappingReader) {
        guard let path = rewrite?.path else { return }
        let place = mapping.location(of: "rewrite")
        guard stripPrefix == nil else {
            return mapping.context.fail(
                place, "rewrite.path and strip_prefix both change the path", "keep one of them")
        }
        // Where the pattern is none, its captures are not known: that is told by who reads it.
        guard let pattern = try? RoutePattern(self.path, encodedSlashes: slashes, caseInsensitive: caseInsensitive)
        else { return }
        do throws(PathTemplateError) {
            _ = try PathTemplate(path, pattern: pattern)
        } catch {
            mapping.context.fail(place, "rewrite.path: \(error.what)", error.remedy)
        }
    }

    private var slashes: RouteDefinition.EncodedSlashes { encodedSlashes == .keep ? .keep : .reject }
}

extension Configuration.Rewrite {
    fileprivate static func read(_ mapping: MappingReader) -> Self? {
        var rewrite = Self()
        mapping.set(&rewrite.path, "path") { $0.string(atMost: PathTemplate.maximumLength) }
        mapping.set(&rewrite.host, "host", Self.host)
        if mapping.value("path") == nil, mapping.value("host") == nil {
            mapping.context.fail(mapping.location, "rewrite names neither path nor host", "add one, or remove it")
        }
        return rewrite
    }

    private static func host(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 261) else { return nil }
        do throws(HTTPURL.Failure) {
            let host = try HostAndPort(parsing: text, defaultPort: 1)
            guard host.port > 0, !text.contains("*") else {
                return value.fail("\(value.name) is \(value.shown), not a host", "write HOST or HOST:PORT")
            }
            return text.lowercased()
        } catch {
            return value.fail("\(value.name) is \(value.shown), \(error.what)", "write HOST or HOST:PORT")
        }
    }
}
