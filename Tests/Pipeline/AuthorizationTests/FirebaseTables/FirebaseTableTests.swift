import Testing

/// The Admin SDKs' own tests of verifying, row by row. What else they test is no business of a gateway:
/// docs/verification.md lists it.
@Suite struct FirebaseTableTests {
    @Test(arguments: NodeVerifyJWT.rows) func nodeVerifyJWT(row: SDKRow) throws {
        #expect(try row.code(of: .node) == row.ours)
    }

    @Test(arguments: NodeVerifyIDToken.rows) func nodeVerifyIDToken(row: SDKRow) throws {
        #expect(try row.code(of: .node) == row.ours)
    }

    @Test(arguments: PythonVerify.rows + PythonExpiry.rows) func pythonVerifyIDToken(row: SDKRow) throws {
        #expect(try row.code(of: .python) == row.ours)
    }

    @Test(arguments: PythonSessionCookie.rows) func pythonSessionCookie(row: SDKRow) throws {
        #expect(try row.code(of: .python) == row.ours)
    }

    // Session cookies are tested by the SDKs with the same tables.

    @Test(arguments: NodeVerifyJWT.rows + NodeVerifyIDToken.rows) func nodeVerifySessionCookie(row: SDKRow) throws {
        #expect(try row.codeOfCookie(of: .node) == row.oursOfCookie)
    }

    @Test(arguments: PythonVerify.rows + PythonExpiry.rows + PythonCheckRevoked.rows)
    func pythonVerifySessionCookie(row: SDKRow) throws {
        #expect(try row.codeOfCookie(of: .python) == row.oursOfCookie)
    }

    @Test(arguments: PythonEmulator.rows) func pythonEmulatorSessionCookie(row: SDKRow) throws {
        #expect(try row.codeOfCookie(of: .python.emulated) == row.oursOfCookie)
    }

    @Test(arguments: GoVerify.rows + GoCheckRevoked.rows) func goVerifySessionCookie(row: SDKRow) throws {
        #expect(try row.codeOfCookie(of: .go) == row.oursOfCookie)
    }

    @Test(arguments: PythonCheckRevoked.rows) func pythonCheckRevoked(row: SDKRow) throws {
        #expect(try row.code(of: .python) == row.ours)
    }

    @Test(arguments: PythonEmulator.rows) func pythonEmulator(row: SDKRow) throws {
        #expect(try row.code(of: .python.emulated) == row.ours)
    }

    @Test(arguments: GoVerify.rows) func goVerifyIDToken(row: SDKRow) throws {
        #expect(try row.code(of: .go) == row.ours)
    }

    @Test(arguments: GoCheckRevoked.rows) func goCheckRevoked(row: SDKRow) throws {
        #expect(try row.code(of: .go) == row.ours)
    }

    @Test(arguments: JavaVerify.rows + JavaTenant.rows) func javaVerifyToken(row: SDKRow) throws {
        #expect(try row.code(of: .java) == row.ours)
    }

    @Test(arguments: JavaEmulator.rows) func javaEmulator(row: SDKRow) throws {
        #expect(try row.code(of: .java.emulated) == row.ours)
    }

    @Test(arguments: JavaCheckRevoked.rows) func javaCheckRevoked(row: SDKRow) throws {
        #expect(try row.code(of: .java) == row.ours)
    }

    private static let all: [[SDKRow]] = [
        NodeVerifyJWT.rows, NodeVerifyIDToken.rows, PythonVerify.rows, PythonExpiry.rows, PythonSessionCookie.rows,
        PythonCheckRevoked.rows, PythonEmulator.rows, GoVerify.rows, GoCheckRevoked.rows, JavaVerify.rows,
        JavaTenant.rows,
        JavaEmulator.rows, JavaCheckRevoked.rows,
    ]

    @Test(arguments: all.flatMap { $0 }) func aReasonStandsWhereTheVerdictsDiffer(row: SDKRow) {
        #expect(row.saysWhyTheyDiffer)
    }
}
