package import GatewayCore

extension Configuration {
    /// The admin listener (`admin`): health, metrics, admin API.
    package struct Admin: Sendable, Equatable {
        /// Where it listens (`address`); nil switches it off. Default: `127.0.0.1:9901`.
        package var address: ListenAddress? = ListenAddress(host: "127.0.0.1", port: 9901)
        /// The bearer token of the admin API (`token`). Default: nil, which leaves only `/livez`, `/readyz` and
        /// `/metrics`.
        package var token: Secret?

        /// The defaults.
        package init() {}
    }
}

extension Configuration.Admin {
    /// A token with fewer bytes is warned about.
    private static let goodTokenLength = 16

    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&address, "address") { $0.portAddress() }
        mapping.set(&token, "token") { Self.token($0) }
    }

    private static func token(_ value: ConfigurationValue) -> Secret? {
        guard let text = value.scalar("a text")?.text else { return nil }
        guard text.utf8.count <= 1_024 else { return value.fail("admin.token is longer than 1024 bytes", "shorten it") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return value.fail(
                "admin.token has characters that a header cannot carry", "use visible ASCII without spaces")
        }
        if text.utf8.count < goodTokenLength {
            value.warn(
                "admin.token has fewer than \(goodTokenLength) characters and may be guessed", "use a random one")
        }
        return Secret(text)
    }
}

extension Configuration {
    /// How the process stops on SIGTERM (`drain`).
    package struct Drain: Sendable, Hashable {
        /// How long it still accepts while `/readyz` answers 503 (`delay`), 0 to 10 min. Default: 5 s.
        package var delay = Duration.seconds(5)
        /// How long what runs may take to finish after that (`timeout`), 0 to 1 h. Default: 30 s.
        package var timeout = Duration.seconds(30)

        /// The defaults.
        package init() {}
    }

    /// When the configuration is read again while the gateway runs (`reload`), besides on SIGHUP.
    package struct Reload: Sendable, Hashable {
        /// How often its files are looked at (`watch`), 100 ms to 1 h; nil: never. Default: 2 s.
        package var watch: Duration? = .seconds(2)

        /// The defaults.
        package init() {}
    }
}

extension Configuration.Drain {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&delay, "delay") { $0.duration(in: .zero ... .minutes(10)) }
        mapping.set(&timeout, "timeout") { $0.duration(in: .zero ... .hours(1)) }
    }
}

extension Configuration.Reload {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&watch, "watch") { $0.duration(in: .milliseconds(100) ... .hours(1)) }
    }
}

extension Configuration {
    /// What is logged (`log`).
    package struct Log: Sendable, Hashable {
        /// The levels that there are, from the most talkative.
        package static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

        /// The least level that is logged (`level`), one of `levels`. Default: `info`.
        package var level = "info"
        /// Where the access log goes (`access`). Default: standard output.
        package var access = AccessLogTarget.standardOutput

        /// The defaults.
        package init() {}
    }

    /// Where the access log goes.
    package enum AccessLogTarget: Sendable, Hashable {
        /// `stdout`.
        case standardOutput
        /// `off`.
        case off
        /// A path with a `/`; a relative one starts at the working directory.
        case file(path: String)
    }
}

extension Configuration.Log {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&level, "level") { $0.choice(of: Self.levels) }
        mapping.set(&access, "access") { Self.access($0) }
    }

    private static func access(_ value: ConfigurationValue) -> Configuration.AccessLogTarget? {
        guard let text = value.string() else { return nil }
        switch text {
        case "stdout": return .standardOutput
        case "off": return .off
        case let path where path.contains("/"): return .file(path: path)
        default:
            return value.fail(
                "log.access is \(value.shown), no place for a log", "write stdout, off, or a path with a '/'")
        }
    }
}

extension Configuration {
    /// What happens to the `traceparent` and `tracestate` of a request (`trace_context`).
    package enum TraceContext: String, Sendable, Hashable, CaseIterable {
        /// Valid ones are passed on as they came.
        case accept
        /// They are always made anew.
        case restart
    }
}
