import SecurityRules
import Testing

@Suite struct RuleOperationTests {
    @Test(arguments: [
        ("GET", "/a", RuleOperation.get), ("HEAD", "/a", .get), ("GET", "/a/", .list), ("HEAD", "/", .list),
        ("POST", "/a", .create), ("POST", "/a/", .create), ("PUT", "/a", .update), ("PATCH", "/a", .update),
        ("DELETE", "/a", .delete), ("OPTIONS", "/a", nil), ("get", "/a", nil), ("GETS", "/a", nil),
    ])
    func aMethodIsAnOperationOfRules(method: String, path: String, operation: RuleOperation?) {
        let found = Array(method.utf8).withUnsafeBytes { method in
            Array(path.utf8).withUnsafeBytes { RuleOperation(method: method, path: $0) }
        }
        #expect(found == operation)
    }
}
