package import GatewayCore

extension Configuration {
    /// The polling of a transmitter's events, RFC 8936 (`accounts.transmitters.NAME.poll`).
    package struct Poll: Sendable, Hashable {
        /// The URL of the stream (`url`).
        package var url: String
        /// The complete value of `Authorization` (`authorization`).
        package var authorization: Secret
        /// The time between polls that return no event (`interval`), 1 second to 1 hour. Default: 10 seconds.
        package var interval = Duration.seconds(10)

        package init(url: String, authorization: Secret) {
            self.url = url
            self.authorization = authorization
        }
    }
}

extension Configuration.Poll {
    /// Reads the section. `nil` after an error.
    static func read(_ mapping: MappingReader, allowsPlainHTTP: Bool) -> Self? {
        let url = mapping.required("url", "add url: https://HOST/PATH, the endpoint_url of the stream")?.trustedURL(
            allowsPlainHTTP: allowsPlainHTTP, .readSecrets)
        let authorization = mapping.required(
            "authorization", "add authorization: ${file:PATH}, the value of Authorization, as in Bearer TOKEN")?
            .secret()
        var interval = Duration.seconds(10)
        mapping.set(&interval, "interval") { $0.duration(in: .seconds(1) ... .seconds(3600)) }
        guard let url, let authorization else { return nil }
        var poll = Self(url: url, authorization: authorization)
        poll.interval = interval
        return poll
    }
}

extension KnownKeys {
    static let poll = KnownKeys("accounts.transmitters.*.poll", ["url", "authorization", "interval"])
}
