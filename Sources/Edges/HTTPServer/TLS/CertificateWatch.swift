import GatewayConfiguration
import GatewayCore

/// Tells when a listener's certificate files are to be read anew: once they are others than those that are served, and have been left alone
/// from one look to the next, since a certificate and its key are replaced one after the other.
struct CertificateWatch: Sendable {
    private var seen: [FileMark?] = []
    private var refused: [FileMark?]?

    /// - Parameter served: the marks from before the reading of what is served.
    mutating func shouldRead(_ marks: [FileMark?], served: [FileMark?]) -> Bool {
        defer { seen = marks }
        return marks != served && marks != refused && marks == seen
    }

    /// These files are unfit: they are not read again before they change.
    mutating func refuse(_ marks: [FileMark?]) {
        refused = marks
    }
}

extension Configuration.ListenerTLS {
    /// The files that it is made of, as they are now.
    var marks: [FileMark?] {
        let files = identities.flatMap { [$0.certificate, $0.privateKey] } + (clientCA.map { [$0] } ?? [])
        return files.map(FileMark.init)
    }
}
