import Foundation
import Testing

// Within the suite of the demo: two demos that start at the same time want the same ports.
extension DemoTests {
    /// The manual's picture of the page. It is made anew only on request:
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
