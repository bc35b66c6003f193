import OutboundHTTP

extension KeyFetchError {
    /// The failure and its remedy, for people.
    var explanation: (what: String, remedy: String) {
        let (what, remedy) = code.explanation
        return (detail.isEmpty ? what : "\(what) (\(detail))", remedy)
    }
}

extension KeyFetchError.Code {
    private static let network = "check the host name, DNS, and whether outgoing connections are permitted"
    private static let otherURL = "configure the URL of a key set or of a discovery document"

    fileprivate var explanation: (what: String, remedy: String) {
        switch self {
        case .invalidURL: ("the URL is not a valid http or https URL", "correct it")
        case .unreachable: ("the connection failed", Self.network)
        case .closed: ("the server closed the connection without a complete response", Self.network)
        case .timedOut: ("no complete response arrived in time", Self.network)
        case .redirected: ("the server redirects, which is not followed", "configure the final URL")
        case .status: ("the server responded with an unexpected status", "correct the URL")
        case .tooLarge: ("the response is larger than 1 MiB", Self.otherURL)
        case .invalidResponse: ("the response is not HTTP", "correct the scheme, host and port of the URL")
        case .notAKeySet: ("the response is not a key set", Self.otherURL)
        case .notADiscovery: ("the response is not a discovery document", Self.otherURL)
        case .issuerMismatch: ("the discovery document belongs to another issuer", "correct the configured issuer")
        case .noUsableKeys: ("the key set has no usable key", "check the provider's signing algorithms")
        case .cancelled: ("the fetch was cancelled", "repeat the command")
        }
    }
}
