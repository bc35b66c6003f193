import Foundation
import Testing

@testable import SystemFixtures

/// A gateway that runs as an unprivileged user.
struct PrivilegeTests {
    /// Removes all capabilities from a process of root. Processes of other users have none.
    private static let launcher = geteuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []

    @Test(.enabled(if: launcher.isEmpty || FileManager.default.isExecutableFile(atPath: Program.path("setpriv"))))
    func `a gateway without capabilities accepts connections and forwards requests`() async throws {
        try await Scenario.run(arrange: { $2.launcher = Self.launcher }) { scenario in
            let token = try scenario.token()
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
        }
    }
}
