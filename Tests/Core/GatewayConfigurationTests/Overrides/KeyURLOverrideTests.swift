import GatewayConfiguration
import Testing

@testable import CoreFixtures

@Suite struct KeyURLOverrideTests {
    static let variables = [
        "GATEHOUSE_FIREBASE_KEYS_URL": "http://127.0.0.1:9/keys",
        "GATEHOUSE_FIREBASE_SESSION_KEYS_URL": "https://keys.example/session",
    ]

    @Test func theEnvironmentWinsOverTheFile() throws {
        let firebase = try ConfigurationTesting.load(
            section: "identity: { firebase: { project: a, keys_url: https://x.example/ } }",
            environment: Self.variables
        ).identity.firebase
        #expect(firebase?.keysURL == "http://127.0.0.1:9/keys")
        #expect(firebase?.sessionKeysURL == "https://keys.example/session")
    }

    @Test func aBadOneIsReportedAtTheSection() {
        BrokenConfiguration.section(
            "identity:\n  firebase:\n    project: a",
            "3:5 the environment variable GATEHOUSE_FIREBASE_KEYS_URL is an http:// URL of another machine",
            environment: ["GATEHOUSE_FIREBASE_KEYS_URL": "http://keys.example/"]
        ).check()
    }

    @Test func anEmptyOneCountsForNothing() throws {
        let firebase = try ConfigurationTesting.load(
            section: "identity: { firebase: { project: a } }", environment: ["GATEHOUSE_FIREBASE_KEYS_URL": ""]
        ).identity.firebase
        #expect(firebase?.keysURL == Configuration.Firebase.defaultKeysURL)
    }
}
