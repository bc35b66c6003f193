import GatewayCore
package import Logging

/// A condition of a credential that an operator should know.
enum CredentialWarning: Sendable, Equatable {
    /// Users other than the owner have access to a file with a secret.
    case openFile(String)
    /// The login of gcloud was not looked for, since its folder is inaccessible.
    case inaccessibleLogin(String, reason: String)

    /// Returns the warnings about files with secrets.
    static func openFiles(_ files: [String]) -> [CredentialWarning] {
        files.filter { BoundedFile.isOpenToOthers($0) }.map { .openFile($0) }
    }

    func write(to logger: Logger) {
        switch self {
        case .openFile(let file):
            logger.warning(
                "a credential file is accessible to users other than its owner; chmod 600 it",
                metadata: ["file": "\(file)"])
        case .inaccessibleLogin(let file, let reason):
            logger.warning(
                "the folder of the gcloud login is inaccessible; the metadata server is used",
                metadata: ["file": "\(file)", "error": "\(reason)"])
        }
    }
}

extension GoogleCredential {
    /// The kind of credential, named like the `type` of a credential file.
    var type: String {
        switch kind {
        case .emulator: "emulator"
        case .serviceAccount: "service_account"
        case .authorizedUser: "authorized_user"
        case .externalAccount: "external_account"
        case .metadata: "metadata_server"
        }
    }

    /// The file of the subject token. `nil` if absent.
    var subjectTokenFile: String? {
        guard case .externalAccount(let account) = kind, case .file(let file) = account.source.location else {
            return nil
        }
        return file.path
    }

    /// Logs the kind of the credential, its location, and what an operator should know about it.
    package func log(
        as message: Logger.Message = "the credential of Firebase account lookups", to logger: Logger
    ) {
        if case .emulator = kind { return }
        logger.info(message, metadata: ["type": "\(type)", "location": "\(file ?? source)"])
        for warning in warnings { warning.write(to: logger) }
    }
}
