@testable import Authentication
@testable import CoreFixtures
@testable import GatewayConfiguration
@testable import GatewayCore

/// App Check tokens of ``TokenDraft/project``, whose number is 123456789012.
enum AppCheckSample {
    static let projectNumber = "123456789012"
    static let webID = "1:123456789012:web:0a1b2c3d"
    static let iosID = "1:123456789012:ios:4e5f6a7b"
    /// The text that an SDK sends if the attestation failed.
    static let placeholder = "eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ=="

    /// A token of the web app in Firebase's format. It was issued 100 seconds ago.
    static func draft(now: Int64 = ManualClock.start) -> TokenDraft {
        TokenDraft(claims: [
            "iss": "\"https://firebaseappcheck.googleapis.com/\(projectNumber)\"",
            "aud": "[\"projects/\(projectNumber)\",\"projects/\(TokenDraft.project)\"]", "sub": "\"\(webID)\"",
            "iat": "\(now - 100)", "exp": "\(now + 3500)",
        ])
    }

    static let token = draft().signed()

    /// The configuration of the web app and the iOS app.
    static var configuration: Configuration.AppCheck {
        Configuration.AppCheck(
            projectNumber: projectNumber,
            apps: [
                Configuration.AppCheck.App(id: webID, name: "web"), Configuration.AppCheck.App(id: iosID, name: "ios"),
            ])
    }

    /// A verifier of the same apps.
    static func verifier(keySet: Int = 0) -> AppCheckVerifier {
        AppCheckVerifier(
            issuer: configuration.issuer,
            audiences: ["projects/\(projectNumber)", "projects/\(TokenDraft.project)"],
            apps: configuration.apps.enumerated().map { index, app in
                AppCheckApp(id: app.id, name: app.name, index: index, counterPlace: index, field: "X-Auth-App")
            },
            keySet: keySet, clockSkew: 5)
    }
}
