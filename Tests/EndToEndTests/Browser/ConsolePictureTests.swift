import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

// Part of the suite of the console, because browsers run one at a time.
extension ConsoleBrowserTests {
    /// The screenshots of the manual. They are taken only on request:
    ///
    ///     GATEHOUSE_CONSOLE_PICTURES=$PWD/docs/images script/test --filter ConsolePictureTests
    @Suite struct ConsolePictureTests {
        private static let folder = ProcessInfo.processInfo.environment["GATEHOUSE_CONSOLE_PICTURES"]

        @Test(
            .enabled(
                if: ChromeDriver.program != nil && folder != nil, "GATEHOUSE_CONSOLE_PICTURES has no folder to write to"
            ))
        func `the page of a user`() async throws {
            let folder = try #require(Self.folder)
            try await ConsoleBrowserTests.visit { visit in
                try visit.scenario.admin("POST", "/v1/users/ada/revoke")
                try visit.browser.resize(width: 1120)
                try visit.open("#users?uid=ada")
                try await visit.signIn(name: "Grace")
                try await visit.wait(for: "#user dl")
                try visit.browser.picture().write(to: URL(filePath: folder + "/console-user.png"))
            }
        }
    }
}
