extension Configuration {
    /// The Firebase project whose ID tokens and session cookies count (`identity.firebase`).
    package struct Firebase: Sendable, Hashable {
        /// The key set of ID tokens, unless configured otherwise.
        package static let defaultKeysURL =
            "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        /// The key set of session cookies, unless configured otherwise.
        package static let defaultSessionKeysURL =
            "https://www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys"

        /// The project's id (`project`); required. It is the audience of every token.
        package var project: String
        /// Which tenants' tokens count (`tenant`). Default: only tokens without a tenant.
        package var tenant = TenantPolicy.none
        /// The key set of ID tokens (`keys_url`, or the environment's `GATEHOUSE_FIREBASE_KEYS_URL`, which wins).
        package var keysURL = defaultKeysURL
        /// The key set of session cookies (`session_keys_url`, or `GATEHOUSE_FIREBASE_SESSION_KEYS_URL`, which wins).
        package var sessionKeysURL = defaultSessionKeysURL
        /// Whether the key URLs may be `http://` to a host other than loopback (`insecure_http`). Default: false.
        package var insecureHTTP = false
        /// Whether the emulator's unsigned tokens count (`insecure_emulator`): loopback listeners only. Default: false.
        package var insecureEmulator = false
        /// The exact `iss` of ID tokens.
        package var issuer: String
        /// The exact `iss` of session cookies.
        package var sessionIssuer: String

        /// A project with the defaults of everything else.
        package init(project: String) {
            self.project = project
            self.issuer = "https://securetoken.google.com/\(project)"
            self.sessionIssuer = "https://session.firebase.google.com/\(project)"
        }
    }

    /// Which tenants' tokens count.
    package enum TenantPolicy: Sendable, Hashable {
        /// Only tokens without a tenant.
        case none
        /// Only tokens of this tenant.
        case only(String)
        /// Tokens of any tenant, and of none.
        case any

        /// The one tenant; nil where there is none, or more than one.
        package var id: String? {
            guard case .only(let id) = self else { return nil }
            return id
        }
    }
}
