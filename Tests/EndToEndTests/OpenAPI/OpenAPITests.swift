import Authorization
import Decisions
import DevelopmentIdentity
import GatewayCore
import HTTPWire
import RequestPipeline
import Testing

@testable import AdminAPI

/// The OpenAPI document, compared with the tables of the routers and with the error codes.
struct OpenAPITests {
    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    private static func names(of path: String, _ accepts: (HTTPWire.Method) -> Bool) -> [String] {
        HTTPWire.Method.allCases.filter(accepts).map { "\("\($0)".uppercased()) \(path)" }
    }

    /// The codes that a client can receive from a listener, with their statuses.
    private static func statuses(on listener: OpenAPIDocument.Listener) -> [String: Int] {
        switch listener {
        case .admin: Dictionary(uniqueKeysWithValues: AdminErrorCode.allCases.map { ($0.rawValue, $0.status) })
        case .listen, .decisions:
            Dictionary(
                uniqueKeysWithValues: DecisionCode.allCases.filter { $0 != .ok && $0 != .clientClosed }
                    .map { ("\($0.wire)", Int($0.status)) })
        }
    }

    // MARK: - Endpoints

    @Test func `the admin listener has exactly the operations of the document`() throws {
        let expected = try AdminPath.allCases.flatMap { path in
            try #require(AdminCall(target: path.rawValue)).methods.map { "\($0) \(path.rawValue)" }
        }
        let paths = [
            "/console/", "/console/assets/{file}", "/console/session", "/console/sign-in", "/console/callback",
        ]
        let console = try paths.flatMap { path in
            let target = path.replacing("{file}", with: "console.css")
            return try #require(ConsolePath(target: target)?.methods).map { "\($0) \(path)" }
        }
        #expect(document.names(on: .admin) == (expected + console).sorted())
    }

    @Test func `accounts have exactly the operations of the document`() {
        let calls = AccountEndpoint.allCases.flatMap { endpoint in
            Self.names(of: endpoint.path + (endpoint.hasProvider ? "{provider}" : ""), endpoint.accepts)
        }
        let keys = String(decoding: BuiltinEndpoints.keysPath, as: UTF8.self)
        let files = ["GET", "HEAD"].map { "\($0) /.gatehouse/assets/{file}" }
        #expect(document.names(on: .listen) == (calls + ["GET \(keys)", "HEAD \(keys)"] + files).sorted())
    }

    @Test func `the listener for decisions has exactly the operations of the document`() {
        func acceptsAny(_ endpoint: DecisionEndpoint) -> Bool {
            HTTPWire.Method.allCases.allSatisfy(endpoint.accepts)
        }
        func path(_ endpoint: DecisionEndpoint) -> String {
            "\(endpoint.path)\(endpoint.hasOriginalPath ? "/{path}" : "")"
        }
        let expected = DecisionEndpoint.allCases.flatMap { endpoint in
            acceptsAny(endpoint) ? ["GET \(path(endpoint))"] : Self.names(of: path(endpoint), endpoint.accepts)
        }
        #expect(document.names(on: .decisions) == expected.sorted())
        let anyMethod = document.operations.filter(\.acceptsAnyMethod).map(\.path)
        #expect(anyMethod.sorted() == DecisionEndpoint.allCases.filter(acceptsAny).map(path).sorted())
    }

    @Test func `each operation names the credentials that its endpoint accepts`() throws {
        for operation in document.operations {
            let isAnonymous = operation.credentials.isEmpty || operation.credentials.contains("")
            for listener in operation.listeners {
                switch listener {
                case .admin:
                    let isPublic = AdminCall(target: operation.path)?.isPublic
                    let ofConsole = operation.path == "/console/session" && operation.method != "POST"
                    let expected = isPublic == false ? ["adminToken"] : ofConsole ? ["consoleSession"] : []
                    #expect(operation.credentials == expected, "\(operation.name)")
                case .listen:
                    let name = operation.path.replacing("{provider}", with: "")
                    let policy = AccountEndpoint.allCases.first { $0.path == name }?.policy.authentication ?? .none
                    #expect(isAnonymous == (policy != .required), "\(operation.name)")
                    #expect(operation.credentials.isEmpty == (policy == .none), "\(operation.name)")
                case .decisions:
                    let isIntrospection = operation.path == "\(DecisionEndpoint.introspectionPath)"
                    #expect(isAnonymous != isIntrospection, "\(operation.name)")
                }
            }
        }
    }

    // MARK: - Codes

    @Test func `the problem document has every code that a client can receive, and no others`() {
        let codes = document.root["components"]?["schemas"]?["Problem"]?["properties"]?["code"]?.list("enum") ?? []
        let expected = Set(OpenAPIDocument.Listener.allCases.flatMap { Self.statuses(on: $0).keys })
        #expect(codes.compactMap(\.stringValue).sorted() == expected.sorted())
    }

    @Test func `a decision has ok and every code of a request, and no others`() {
        let codes = document.root["components"]?["schemas"]?["Decision"]?["properties"]?["code"]?.list("enum") ?? []
        let expected = ["\(DecisionCode.ok.wire)"] + Self.statuses(on: .decisions).keys
        #expect(codes.compactMap(\.stringValue).sorted() == expected.sorted())
    }

    @Test func `the codes of a response exist on its listener, with the response's status`() throws {
        for operation in document.operations {
            for (status, response) in operation.responses.map({ ($0.name, $0.value) }) {
                for code in try #require(document.resolve(response)).list("x-codes").compactMap(\.stringValue) {
                    for listener in operation.listeners {
                        let expected = Self.statuses(on: listener)[code]
                        #expect(expected.map(String.init) == status, "\(operation.name): \(code)")
                    }
                }
            }
        }
    }

    @Test func `each code of the admin listener is a code of a response, except the one of other methods`() throws {
        let responses = document.operations.filter { $0.listeners == [.admin] }.flatMap(\.responses)
        let codes = try responses.flatMap { try #require(document.resolve($0.value)).list("x-codes") }
        let expected = Set(AdminErrorCode.allCases.map(\.rawValue)).subtracting(["request/method-not-allowed"])
        #expect(Set(codes.compactMap(\.stringValue)) == expected)
    }

    // MARK: - The document itself

    @Test func `every reference has its value, and every component a reference`() {
        var references: Set<String> = []
        func visit(_ value: JSON) {
            if let reference = value.text("$ref") {
                references.insert(reference)
                #expect(document.resolve(value) != nil, "\(reference)")
            }
            for member in value.objectMembers { visit(member.value) }
            if case .array(let elements) = value { elements.forEach(visit) }
        }
        visit(document.root)
        let used = Set(document.operations.flatMap(\.credentials)).subtracting([""])
        for kind in document.root["components"]?.objectMembers ?? [] {
            for component in kind.value.objectMembers {
                let isUsed =
                    kind.name == "securitySchemes"
                    ? used.contains(component.name)
                    : references.contains("#/components/\(kind.name)/\(component.name)")
                #expect(isUsed, "\(kind.name)/\(component.name)")
            }
        }
    }

    @Test func `operations have different identifiers, and a parameter for each segment with data`() {
        let ids = document.operations.map(\.id)
        #expect(!ids.contains("") && Set(ids).count == ids.count)
        for operation in document.operations {
            let segments = operation.path.matches(of: /\{(\w+)\}/).map { String($0.1) }
            let parameters = document.parameters(of: operation).filter { $0.text("in") == "path" }
            #expect(parameters.compactMap { $0.text("name") }.sorted() == segments.sorted(), "\(operation.name)")
            #expect(parameters.allSatisfy { $0["required"] == .bool(true) && $0.text("example") != nil })
        }
    }

    @Test func `the examples of bodies have the form of their schemas`() throws {
        for operation in document.operations {
            for body in document.bodies(of: operation) {
                guard let example = body.value["example"] else { continue }
                let schema = try #require(body.value["schema"])
                #expect(document.violations(of: example, schema) == [], "\(operation.name)")
            }
        }
    }

    @Test func `a value that differs from its schema is found`() {
        let user: JSON = ["$ref": "#/components/schemas/User"]
        let valid: JSON = ["uid": "ada", "valid_since": nil, "disabled": false]
        #expect(document.violations(of: valid, user) == [])
        #expect(document.violations(of: ["uid": "ada", "valid_since": nil], user) == ["$: no disabled"])
        #expect(document.violations(of: valid.with("age", 3), user) == ["$.age: not in the document"])
        #expect(!document.violations(of: valid.with("disabled", 0), user).isEmpty)
        #expect(!document.violations(of: ["code": "x"], ["$ref": "#/components/schemas/Problem"]).isEmpty)
        #expect(!document.violations(of: valid, ["$ref": "#/components/schemas/None"]).isEmpty)
    }
}
