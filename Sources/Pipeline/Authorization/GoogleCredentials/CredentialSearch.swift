package import GatewayConfiguration
import GatewayCore

extension GoogleCredential {
    /// The variable with the path of a credential file.
    static let fileVariable = "GOOGLE_APPLICATION_CREDENTIALS"
    private static let fileName = "application_default_credentials.json"

    /// Reads the credential of the account lookups. `nil` without lookups.
    ///
    /// - Parameter environment: The variables of the search, if the configuration names no file.
    package init?(
        of settings: Configuration.FirebaseAccounts?, environment: [String: String] = Configuration.processEnvironment
    ) throws(ServiceAccount.Failure) {
        guard let settings else { return nil }
        if settings.isEmulated {
            self = .emulator
        } else if let file = settings.serviceAccount {
            try self.init(file: file, environment: environment)
        } else {
            try self.init(searching: environment)
        }
    }

    /// Reads the credential of the calls that consume App Check tokens. `nil` if no route consumes them.
    package init?(
        ofAppCheckIn configuration: Configuration, environment: [String: String] = Configuration.processEnvironment
    ) throws(ServiceAccount.Failure) {
        guard configuration.consumesAppTokens, let appCheck = configuration.identity.firebase?.appCheck else {
            return nil
        }
        if let file = appCheck.serviceAccount ?? configuration.revocation.firebase?.serviceAccount {
            try self.init(file: file, environment: environment)
        } else {
            try self.init(searching: environment)
        }
    }

    /// Reads the credential of the calls that create the session cookies of a Firebase project. `nil` without such
    /// calls.
    package init?(
        ofSessionCookiesIn configuration: Configuration, project: Configuration.FirebaseProject,
        environment: [String: String] = Configuration.processEnvironment
    ) throws(ServiceAccount.Failure) {
        guard let accounts = configuration.accounts, accounts.sessionCookie == .firebase else { return nil }
        let revocation = configuration.revocation
        let shared = revocation.firebase ?? revocation.writeBack?.accounts
        if configuration.identity.firebase?.emulatorHost != nil {
            self = .emulator
        } else if let file = project.serviceAccount ?? accounts.serviceAccount ?? shared?.serviceAccount {
            try self.init(file: file, environment: environment)
        } else {
            try self.init(searching: environment)
        }
    }

    /// Searches the credential as Google's libraries do ("Application Default Credentials"): the file of
    /// `GOOGLE_APPLICATION_CREDENTIALS`, the login of the gcloud command, the metadata server.
    ///
    /// A variable that names an unreadable file is an error: a fallback could act as another identity.
    init(searching environment: [String: String]) throws(ServiceAccount.Failure) {
        if let file = environment[Self.fileVariable], !file.isEmpty {
            try self.init(file: file, environment: environment)
            return
        }
        let login = try Self.login(environment)
        if case .found(let file, let json) = login {
            try self.init(json: json, from: file, environment: environment)
        } else if let server = try MetadataServer(environment: environment) {
            self.init(kind: .metadata(server), fingerprint: Secret(server.url))
            if case .inaccessible(let file, let reason) = login {
                warnings.append(.inaccessibleLogin(file, reason: reason))
            }
        } else {
            throw ServiceAccount.Failure(
                description: """
                    no Google credential was found: \(Self.fileVariable) is not set, there is no login of gcloud, and \
                    \(MetadataServer.offVariable) is true
                    """)
        }
    }

    /// The result of looking for the login of gcloud.
    private enum Login {
        case found(String, [UInt8])
        case none
        /// The folder of the login is inaccessible, as in a service with `ProtectHome=yes`, or is not a folder.
        case inaccessible(String, reason: String)
    }

    /// Reads the login of gcloud. A folder that `CLOUDSDK_CONFIG` names must be accessible, the home folder need not.
    /// A login that exists and cannot be read is an error.
    private static func login(_ environment: [String: String]) throws(ServiceAccount.Failure) -> Login {
        guard let (file, isExplicit) = loginFile(environment) else { return .none }
        do throws(BoundedFile.Failure) {
            return .found(file, try BoundedFile.read(file, atMost: CredentialFile.sizeLimit))
        } catch {
            if error.isMissing { return .none }
            guard !isExplicit, FileFingerprint(of: file) == nil else { throw unreadable(file, error) }
            return .inaccessible(file, reason: error.reason)
        }
    }

    /// Reads a credential file of any supported type.
    init(file: String, environment: [String: String]) throws(ServiceAccount.Failure) {
        let json: [UInt8]
        do throws(BoundedFile.Failure) {
            json = try BoundedFile.read(file, atMost: CredentialFile.sizeLimit)
        } catch {
            throw Self.unreadable(file, error)
        }
        try self.init(json: json, from: file, environment: environment)
    }

    private init(json: [UInt8], from file: String, environment: [String: String]) throws(ServiceAccount.Failure) {
        try self.init(json: json, name: file, environment: environment)
        self.file = file
        warnings = CredentialWarning.openFiles([file] + [subjectTokenFile].compactMap(\.self))
    }

    init(json: [UInt8], name: String, environment: [String: String]) throws(ServiceAccount.Failure) {
        let file = try CredentialFile(json: json, name: name)
        switch try file.required("type") {
        case "service_account": kind = .serviceAccount(try ServiceAccount(json: json, name: name))
        case "authorized_user": kind = .authorizedUser(try AuthorizedUser(file))
        case "external_account": kind = .externalAccount(try ExternalAccount(file, environment: environment))
        default:
            throw file.failure(
                "has an unsupported type; supported are service_account, external_account and authorized_user")
        }
        fingerprint = Secret(json)
        let variable = environment["GOOGLE_CLOUD_QUOTA_PROJECT"] ?? ""
        quotaProject = try Self.quotaProject(variable.isEmpty ? file.text("quota_project_id") : variable, file)
    }

    private static func quotaProject(_ text: String?, _ file: CredentialFile) throws(ServiceAccount.Failure) -> String?
    {
        guard let text else { return nil }
        guard Configuration.Firebase.isProject(text) else { throw file.failure("has an invalid quota project") }
        return text
    }

    private static func loginFile(_ environment: [String: String]) -> (file: String, isExplicit: Bool)? {
        if let folder = environment["CLOUDSDK_CONFIG"], !folder.isEmpty { return ("\(folder)/\(fileName)", true) }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return ("\(home)/.config/gcloud/\(fileName)", false)
    }

    private static func unreadable(_ file: String, _ failure: BoundedFile.Failure) -> ServiceAccount.Failure {
        let reason =
            if case .unreadable(let reason) = failure { "cannot be read: \(reason)" } else {
                "exceeds \(CredentialFile.sizeLimit) bytes"
            }
        return ServiceAccount.Failure(description: "the credential file \(file) \(reason)")
    }
}
