import GatewayCore
import Routing

extension Configuration {
    /// The changes of path and host for the upstream (`routes[].rewrite`).
    package struct Rewrite: Sendable, Hashable {
        /// A path with captures of the route's pattern (`path`), which begins with `/`, at most 2,048 bytes. Default:
        /// `nil`, unchanged.
        package var path: String?
        /// The `Host` for the upstream (`host`): a name or address in lower case with an optional port. Default:
        /// `nil`, the client's.
        package var host: String?

        /// Creates a rewrite without changes.
        package init() {}
    }
}

extension Configuration.Rewrite {
    static func read(_ mapping: MappingReader) -> Self? {
        var rewrite = Self()
        mapping.set(&rewrite.path, "path") { $0.string(atMost: PathTemplate.maximumLength) }
        mapping.set(&rewrite.host, "host", Self.host)
        if mapping.value("path") == nil, mapping.value("host") == nil {
            mapping.context.fail(mapping.location, "rewrite has neither path nor host", "add one, or remove it")
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
