import NIOCore
import NIOPosix
import NIOSSL

/// Why a server could not be connected to: for logs.
enum UpstreamProblem: Error {
    /// The files of TLS could not be read; no snapshot is made of those.
    case noTLS

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { text($0.error) } ?? "connect: the name has no address"
        case is ChannelError: "connect: timed out"
        case let error as IOError: "connect: errno \(error.errnoCode)"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "tls: the certificate does not bear the server's name"
        case let error as NIOSSLError: tls(String(describing: error))
        default: tls(String(describing: error))
        }
    }

    /// The library tells the kinds of failures apart by text alone.
    private static func tls(_ text: String) -> String {
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            "tls: the certificate is not trusted"
        } else if text.contains("WRONG_VERSION_NUMBER") {
            "tls: what the server answers is not TLS"
        } else if text.contains("CERTIFICATE_REQUIRED") {
            "tls: the server asks for a certificate (tls.certificate)"
        } else {
            "tls: the handshake failed"
        }
    }
}
