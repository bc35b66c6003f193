import GatewayConfiguration
import JOSE

/// The types of security events of CAEP 1.0, RISC 1.0, OAuth event types 1.0 and the framework itself.
enum SecurityEventType: Sendable, Equatable {
    case known(Name)
    /// A type that the gateway does not know.
    case unknown

    /// The names of known types: the ends of their URIs.
    enum Name: String, Sendable, CaseIterable {
        case sessionRevoked = "session-revoked"
        case tokenClaimsChange = "token-claims-change"
        case credentialChange = "credential-change"
        case assuranceLevelChange = "assurance-level-change"
        case deviceComplianceChange = "device-compliance-change"
        case riskLevelChange = "risk-level-change"
        case sessionEstablished = "session-established"
        case sessionPresented = "session-presented"

        case accountCredentialChangeRequired = "account-credential-change-required"
        case accountPurged = "account-purged"
        case accountDisabled = "account-disabled"
        case accountEnabled = "account-enabled"
        case identifierChanged = "identifier-changed"
        case identifierRecycled = "identifier-recycled"
        case credentialCompromise = "credential-compromise"
        case optIn = "opt-in"
        case optOutInitiated = "opt-out-initiated"
        case optOutCancelled = "opt-out-cancelled"
        case optOutEffective = "opt-out-effective"
        case recoveryActivated = "recovery-activated"
        case recoveryInformationChanged = "recovery-information-changed"
        /// Deprecated in favour of `session-revoked`; Google sends it.
        case sessionsRevoked = "sessions-revoked"

        case tokenRevoked = "token-revoked"
        case tokensRevoked = "tokens-revoked"

        case verification = "verification"
        case streamUpdated = "stream-updated"
    }

    private static let base = "https://schemas.openid.net/secevent/"
    /// The families that contain each name. Google sends the verification of RISC.
    private static func families(of name: Name) -> [String] {
        switch name {
        case .sessionRevoked, .tokenClaimsChange, .credentialChange, .assuranceLevelChange, .deviceComplianceChange,
            .riskLevelChange, .sessionEstablished, .sessionPresented:
            ["caep"]
        case .tokenRevoked, .tokensRevoked: ["oauth"]
        case .streamUpdated: ["ssf"]
        case .verification: ["ssf", "risc"]
        default: ["risc"]
        }
    }

    private static let names = Dictionary(
        uniqueKeysWithValues: Name.allCases.flatMap { name in
            families(of: name).map { (Array("\(base)\($0)/event-type/\(name.rawValue)".utf8), name) }
        })

    init(uri: String) {
        self = Self.names[Array(uri.utf8)].map { .known($0) } ?? .unknown
    }

    /// The name in logs and metrics.
    var name: String {
        switch self {
        case .known(let name): name.rawValue
        case .unknown: "unknown"
        }
    }
}

/// The consequence of an event.
enum SecurityEventAction: Sendable, Equatable {
    /// Revokes credentials of the user that were issued before the event.
    case revoke
    /// Revokes everything, and disables the identity or user.
    case block
    /// Like `block`, and unlinks the identity from its account.
    case purge
    /// Lifts the block of the transmitter.
    case unblock
    /// Removes the address of the subject from its account.
    case removeAddress
    /// The event is only logged.
    case log
    /// The transmitter changed the status of the stream.
    case reportStream(status: String)
}

extension SecurityEvent {
    /// The kinds of credentials whose change does not concern the sign-in itself. Other and unknown kinds do.
    private static let secondaryCredentials = ["phone-voice", "phone-sms", "app", "verifiable-credential"]
    /// The maximum length of a stream's status in the log, in characters.
    private static let shownStatus = 32

    /// Returns the consequence of the event.
    func action() throws(SecurityEventFailure) -> SecurityEventAction {
        guard case .known(let name) = type else { return .log }
        let settings = transmitter.settings
        switch name {
        case .sessionRevoked, .sessionsRevoked, .tokenClaimsChange, .tokensRevoked, .credentialCompromise,
            .accountCredentialChangeRequired:
            return .revoke
        case .credentialChange: return try credentialChange()
        case .accountDisabled: return .block
        case .accountEnabled: return .unblock
        case .accountPurged: return .purge
        case .identifierChanged, .identifierRecycled: return .removeAddress
        case .assuranceLevelChange:
            return change(is: "increase", in: "change_direction") ? .log : settings.assuranceLevelChange.action
        case .deviceComplianceChange:
            return change(is: "compliant", in: "current_status") ? .log : settings.deviceComplianceChange.action
        case .riskLevelChange:
            return change(is: "LOW", in: "current_level") ? .log : settings.riskLevelChange.action
        case .streamUpdated:
            return .reportStream(status: String((payload["status"]?.string ?? "").prefix(Self.shownStatus)))
        case .sessionEstablished, .sessionPresented, .optIn, .optOutInitiated, .optOutCancelled,
            .optOutEffective, .recoveryActivated, .recoveryInformationChanged, .tokenRevoked, .verification:
            return .log
        }
    }

    private func change(is value: String, in member: String) -> Bool { payload[member]?.equals(value) == true }

    private func credentialChange() throws(SecurityEventFailure) -> SecurityEventAction {
        guard let kind = payload["credential_type"], kind.kind == .string else {
            throw .rejected(.request("credential_type is not a string."))
        }
        if change(is: "create", in: "change_type") { return .log }
        guard ["update", "revoke", "delete"].contains(where: { change(is: $0, in: "change_type") }) else {
            throw .rejected(.request("change_type is not create, update, revoke or delete."))
        }
        return Self.secondaryCredentials.contains { kind.equals($0) } ? .log : .revoke
    }
}

extension Configuration.Transmitter.RiskEffect {
    fileprivate var action: SecurityEventAction {
        switch self {
        case .log: .log
        case .revoke: .revoke
        }
    }
}
