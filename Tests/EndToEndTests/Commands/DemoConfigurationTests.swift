import Foundation
import Testing

@testable import gatehouse

@Suite struct DemoConfigurationTests {
    @Test func theCopyInTheProgramIsTheFile() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let file = root.appending(path: DemoConfiguration.file)
        #expect(try String(contentsOf: file, encoding: .utf8) == DemoConfiguration.embedded)
    }
}
