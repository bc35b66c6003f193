import GatewayCore
import Testing

/// The Admin SDKs' tests of token verification as rows. docs/internals/verification.md lists their other tests.
@Suite struct FirebaseTableTests {
    /// A table of rows, and the fixture that they change.
    typealias Table = (rows: [SDKRow], fixture: SDKCase)

    static let shared: [Table] = [
        (NodeVerifyJWT.rows + NodeVerifyIDToken.rows, .node),
        (PythonVerify.rows + PythonExpiry.rows + PythonCheckRevoked.rows, .python),
        (PythonEmulator.rows, .python.emulated), (GoVerify.rows + GoCheckRevoked.rows, .go),
    ]

    static let idTokens: [Table] =
        shared + [
            (PythonSessionCookie.rows, .python), (JavaVerify.rows + JavaTenant.rows + JavaCheckRevoked.rows, .java),
            (JavaEmulator.rows, .java.emulated),
        ]

    private static func cases(of tables: [Table]) -> [(SDKRow, SDKCase)] {
        tables.flatMap { table in table.rows.map { ($0, table.fixture) } }
    }

    @Test(arguments: cases(of: idTokens))
    func `each row has the decision of its table`(row: SDKRow, fixture: SDKCase) throws {
        #expect(try row.code(of: fixture) == row.ours)
    }

    /// The SDKs test session cookies with the same tables.
    @Test(arguments: cases(of: shared))
    func `a session cookie with the same deviation has the same decision`(row: SDKRow, fixture: SDKCase) throws {
        var cookie = fixture
        cookie.bake()
        #expect(try row.code(of: cookie) == row.oursOfCookie)
    }

    @Test(arguments: idTokens.flatMap { $0.rows })
    func `a row has a reason exactly if the decisions differ`(row: SDKRow) {
        #expect((row.sdk.passes != (row.ours == .ok)) == (row.because != nil))
    }
}
