import GatewayConfiguration
import Testing

@Suite struct DefaultFileTests {
    private static let (checkout, installation) = ("config/gatehouse.yaml", "/etc/gatehouse/gatehouse.yaml")

    @Test(arguments: [
        ([checkout], checkout), ([installation], installation), ([checkout, installation], checkout), ([], nil),
        (["gatehouse.yaml"], nil),
    ])
    func `the file of a checkout precedes that of an installation`(files: [String], expected: String?) {
        #expect(Configuration.defaultFile(exists: files.contains) == expected)
    }
}
