import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension KeyFetchError {
    /// What a failure of the HTTP client comes to.
    package init(failure error: any Error) {
        switch error {
        case let error as KeyFetchError: self = error
        case let error as HTTPClientError: self.init(client: error)
        case let error as HTTPParserError where error == .invalidEOFState:
            self.init(.closed, "within the answer")
        case is HTTPParserError: self.init(.invalidResponse, "\(error)")
        case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE: self.init(.closed)
        case ChannelError.connectTimeout: self.init(.timedOut)
        case is ChannelError: self.init(.closed)
        default: self.init(.unreachable, "\(error)")
        }
    }

    private init(client error: HTTPClientError) {
        switch error {
        case .deadlineExceeded, .readTimeout, .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            self.init(.timedOut)
        case .remoteConnectionClosed: self.init(.closed)
        case .cancelled: self.init(.cancelled)
        default: self.init(.unreachable, error.description)
        }
    }
}
