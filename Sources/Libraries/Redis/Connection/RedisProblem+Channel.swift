internal import NIOCore
internal import NIOPosix
internal import NIOSSL

extension RedisProblem {
    /// What a channel's error means.
    init(_ error: any Error, at endpoint: RedisEndpoint, isEncrypted: Bool) {
        switch error {
        case let error as NIOConnectionError: self.init(error, at: endpoint)
        case ChannelError.connectTimeout: self.init(.connectTimedOut, at: endpoint)
        case let error as IOError: self.init(.closedByServer, at: endpoint, detail: error.shortText)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self.init(.certificateName, at: endpoint)
        case let error as NIOSSLError: self.init(error, at: endpoint)
        default: self.init(isEncrypted ? .tls : .closedByServer, at: endpoint)
        }
    }

    private init(_ error: NIOConnectionError, at endpoint: RedisEndpoint) {
        if let failure = error.connectionErrors.first?.error {
            let detail = (failure as? IOError)?.shortText
            self.init(failure is ChannelError ? .connectTimedOut : .unreachable, at: endpoint, detail: detail)
        } else {
            self.init(.unreachable, at: endpoint, detail: "the host's name has no address")
        }
    }

    private init(_ error: NIOSSLError, at endpoint: RedisEndpoint) {
        // The library tells the kinds of failures apart by text alone.
        let text = String(describing: error)
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            self.init(.certificateNotTrusted, at: endpoint)
        } else if text.contains("WRONG_VERSION_NUMBER") {
            self.init(.tls, at: endpoint, detail: "what it answers is not TLS")
        } else if text.contains("CERTIFICATE_REQUIRED") {
            self.init(.tls, at: endpoint, detail: "it asks for a client's certificate")
        } else {
            self.init(.tls, at: endpoint)
        }
    }
}

extension IOError {
    fileprivate var shortText: String { "errno \(errnoCode)" }
}
