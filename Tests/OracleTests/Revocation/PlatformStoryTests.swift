import Foundation
import Testing

@testable import SystemFixtures

/// One uid in two Firebase projects with three tenants each: two gateways, and the Admin SDK with `check_revoked`, on
/// one fake platform.
@Suite(
    .serialized,
    .enabled(
        if: AdminSDK.interpreter != nil,
        "GATEHOUSE_ORACLE_PYTHON names no Python with firebase-admin: script/test sets it"))
struct PlatformStoryTests {
    enum Platform: CaseIterable { case google, emulator }

    @Test(arguments: Platform.allCases)
    func `a revocation by the gateway or by the SDK concerns one of eight users with a uid, at both`(
        platform: Platform
    ) async throws {
        let folder = try ScratchFolder()
        let sdk = AdminSDK(interpreter: try #require(AdminSDK.interpreter))
        let arguments = [BuiltProgram.gatehouse.path] + (platform == .emulator ? ["--emulator"] : [])
        try await Task.detached { try sdk.run("platform_story.py", in: folder.url, arguments: arguments) }.value
        let output = folder.read("output")
        print("platform story, \(platform):\n\(output)")
        #expect(output.split(separator: "\n").filter { $0.hasPrefix("holds: ") }.count == 7)
    }
}
