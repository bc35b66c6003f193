import GatewayConfiguration
import Testing

@Suite struct DefaultFileTests {
    private static let (checkout, installation) = ("config/gatehouse.yaml", "/etc/gatehouse/gatehouse.yaml")

    @Test(arguments: [
        ([checkout], checkout), ([installation], installation), ([checkout, installation], installation), ([], nil),
        (["gatehouse.yaml"], nil),
    ])
    func `the file of an installation precedes that of a checkout`(files: [String], expected: String?) {
        #expect(Configuration.defaultFile(exists: files.contains) == expected)
    }
}
