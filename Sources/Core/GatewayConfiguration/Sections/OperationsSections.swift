package import GatewayCore

extension Configuration {
    /// The admin listener (`admin`): health, metrics, admin API.
    package struct Admin: Sendable, Equatable {
        /// The address (`address`). `nil` disables the listener. Default: `127.0.0.1:9901`.
        package var address: ListenAddress? = ListenAddress(host: "127.0.0.1", port: 9901)
        /// The bearer token of the admin API (`token`). Default: `nil`, only `/livez`, `/readyz` and `/metrics` are
        /// available.
        package var token: Secret?
        /// The bearer token of the calls that change nothing (`viewer_token`). Default: `nil`, none.
        package var viewerToken: Secret?
        /// Whether the listener serves the operators' console (`console`). Default: `false`.
        package var console = false
        /// The sign-in to the console at a provider (`console.sign_in`). Default: `nil`, with a token only.
        package var signIn: ConsoleSignIn?
        /// The origin at which browsers reach the console through a proxy (`public_url`), in the browsers' spelling.
        /// Default: `nil`, they reach the listener itself.
        package var publicURL: String?

        /// Creates the defaults.
        package init() {}
    }
}

extension Configuration.Admin {
    /// A shorter token, in bytes, causes a warning.
    private static let goodTokenLength = 16

    /// The origin of the console in browsers. `nil` for that of the request's `Host`.
    package var consoleOrigin: String? {
        publicURL ?? signIn.flatMap { try? BrowserOrigin.spelling(of: $0.publicURL) }
    }

    /// The settings that cannot change while the gateway runs: all but those of the sign-in at a provider.
    package var fixed: Self {
        var fixed = self
        (fixed.publicURL, fixed.signIn) = (consoleOrigin, nil)
        return fixed
    }

    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&address, "address") { $0.portAddress() }
        mapping.set(&token, "token") { Self.token($0) }
        mapping.set(&viewerToken, "viewer_token") { Self.token($0) }
        mapping.set(&publicURL, "public_url") { $0.publicOrigin() }
        if let value = mapping.value("console") { readConsole(value) }
        check(mapping)
    }

    private static func token(_ value: ConfigurationValue) -> Secret? {
        guard let text = value.scalar("a string")?.text else { return nil }
        guard text.utf8.count <= 1_024 else {
            return value.fail("\(value.name) is longer than 1024 bytes", "shorten it")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return value.fail(
                "\(value.name) has characters that are invalid in a header", "use visible ASCII without spaces")
        }
        if text.utf8.count < goodTokenLength {
            value.warn(
                "\(value.name) has fewer than \(goodTokenLength) characters and may be guessed", "use a random one")
        }
        return Secret(text)
    }

    /// Reports keys that have no effect together, and a console whose tokens can be read in transit.
    private func check(_ mapping: MappingReader) {
        let hasToken = mapping.hasValue("token")
        if viewerToken != nil, !hasToken {
            mapping.fail(
                "viewer_token", "admin.viewer_token needs admin.token, without which there is no admin API",
                "add token, or remove viewer_token")
        } else if let viewerToken, viewerToken == token {
            mapping.fail(
                "viewer_token", "admin.viewer_token equals admin.token, so every viewer could change users",
                "use another random token")
        }
        guard console else {
            if publicURL != nil {
                mapping.fail(
                    "public_url", "admin.public_url has no effect without console: true",
                    "add console: true, or remove it")
            }
            return
        }
        if !hasToken {
            mapping.fail(
                "console", "admin.console needs admin.token, with which operators sign in",
                "add token, or remove console")
        }
        if let address, !address.isLoopback, consoleOrigin?.hasPrefix("https://") != true {
            let secrets = signIn == nil ? "the admin token" : "the admin token and the cookies of their sign-in"
            mapping.warn(
                "console", "operators send \(secrets) to the console without TLS",
                "listen on 127.0.0.1, or put a proxy with TLS before it and add public_url: https://HOST")
        }
    }
}

extension Configuration {
    /// The shutdown of the process on SIGTERM (`drain`).
    package struct Drain: Sendable, Hashable {
        /// The time that connections are still accepted while `/readyz` responds with 503 (`delay`), 0 to 10 min.
        /// Default: 5 s.
        package var delay = Duration.seconds(5)
        /// The time for requests to complete after that (`timeout`), 0 to 1 h. Default: 30 s.
        package var timeout = Duration.seconds(30)

        /// Creates the defaults.
        package init() {}
    }

    /// The reload of the configuration, in addition to SIGHUP (`reload`).
    package struct Reload: Sendable, Hashable {
        /// The interval of checking its files for changes (`watch`), 100 ms to 1 h. `nil` disables it. Default: 2 s.
        package var watch: Duration? = .seconds(2)

        /// Creates the defaults.
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
    /// Logging (`log`).
    package struct Log: Sendable, Hashable {
        /// The formats of the log.
        package static let formats = ["text", "json"]
        /// The log levels in increasing severity.
        package static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

        /// The minimum level that is logged (`level`), one of `levels`. Default: `info`.
        package var level = "info"
        /// The format of the log on standard error (`format`), one of `formats`. Default: `text`.
        package var format = "text"
        /// The target of the access log (`access`). Default: standard output.
        package var access = AccessLogTarget.standardOutput

        /// Creates the defaults.
        package init() {}
    }

    /// The target of the access log.
    package enum AccessLogTarget: Sendable, Hashable {
        /// `stdout`.
        case standardOutput
        /// `none` or `off`.
        case off
        /// A path that is written with a `/`.
        case file(path: String)
    }
}

extension Configuration.Log {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&level, "level") { $0.choice(of: Self.levels) }
        mapping.set(&format, "format") { $0.choice(of: Self.formats) }
        mapping.set(&access, "access") { Self.access($0) }
    }

    private static func access(_ value: ConfigurationValue) -> Configuration.AccessLogTarget? {
        guard let isNone = value.isNone() else { return nil }
        if isNone { return .off }
        guard let text = value.string() else { return nil }
        switch text {
        case "stdout": return .standardOutput
        case let path where path.contains("/"):
            return .file(path: value.context.path(path, of: value.name, at: value.location, after: "./", for: .log))
        default:
            return value.fail(
                "log.access is \(value.shown), not a log destination", "write stdout, none, or a path with a '/'")
        }
    }
}

extension Configuration {
    /// The handling of `traceparent` and `tracestate` of a request (`trace_context`).
    package enum TraceContext: String, Sendable, Hashable, CaseIterable {
        /// Valid values are forwarded unchanged.
        case accept
        /// They are always replaced by new ones.
        case restart
    }
}
