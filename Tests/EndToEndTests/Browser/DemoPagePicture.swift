import Foundation
import Testing

// Part of the suite of the demo, because two demos cannot use the same ports at the same time.
extension DemoTests {
    /// The screenshot of the page in the manual. It is taken only on request:
    ///
    ///     GATEHOUSE_PAGE_PICTURE=$PWD/docs/images/accounts-demo.png script/test --filter DemoPagePicture
    @Suite struct DemoPagePicture {
        private static let file = ProcessInfo.processInfo.environment["GATEHOUSE_PAGE_PICTURE"]

        @Test(
            .enabled(if: ChromeDriver.program != nil && file != nil, "GATEHOUSE_PAGE_PICTURE has no file path to write")
        )
        func `the page after its first five steps`() async throws {
            let file = try #require(Self.file)
            try await PageVisit.run { visit in
                for step in ["sign-in", "sensitive", "reauthenticate", "again", "link"] {
                    _ = try await visit.take(step)
                }
                try visit.browser.picture().write(to: URL(filePath: file))
            }
        }
    }
}
