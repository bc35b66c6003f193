extension Compiler {
    /// Compiles a name. Inner declarations hide outer ones.
    mutating func reference(_ name: String, _ scope: Scope) -> ProgramNode {
        if let local = scope.locals.lastIndex(where: { RuleText.equal($0, name) }) {
            return ProgramNode(operation: .local, first: Int32(truncatingIfNeeded: local))
        }
        if let capture = scope.captures.lastIndex(where: { RuleText.equal($0, name) }) {
            return ProgramNode(operation: .capture, first: Int32(truncatingIfNeeded: capture))
        }
        if name == "auth" { return binding(.auth) }
        guard scope.isOfToken, ["uid", "provider", "token"].contains(name) else {
            return ProgramNode(operation: .unknown)
        }
        return ProgramNode(operation: .claim, second: list([self.name(name)]), count: 1)
    }

    func binding(_ binding: ProgramBinding) -> ProgramNode {
        ProgramNode(operation: .binding, detail: binding.rawValue)
    }

    func isDeclared(_ name: String, _ scope: Scope) -> Bool {
        scope.locals.contains { RuleText.equal($0, name) } || scope.captures.contains { RuleText.equal($0, name) }
    }

    /// Returns whether an expression is `request`, which is not a value.
    private func isRequest(_ expression: Expression, _ scope: Scope) -> Bool {
        guard case .name("request") = expression.kind else { return false }
        return !scope.isOfToken && !isDeclared("request", scope)
    }

    /// Returns whether an expression is `request.headers`.
    func isHeaders(_ expression: Expression, _ scope: Scope) -> Bool {
        guard case .member(let base, let name) = expression.kind else { return false }
        return name.text == "headers" && isRequest(base, scope)
    }

    mutating func member(of base: Expression, _ name: String, _ scope: Scope, _ number: Int32) -> ProgramNode {
        if isRequest(base, scope) {
            return ProgramBinding(member: name).map(binding) ?? ProgramNode(operation: .unknown)
        }
        if isHeaders(base, scope) {
            return ProgramNode(operation: .header, second: self.name(name))
        }
        let base = expression(base, scope, parent: number)
        return claim(of: base, name)
            ?? ProgramNode(operation: .member, first: base, second: self.name(name))
    }

    /// Compiles a nested member of `auth`, which is evaluated without copies of the intermediate values.
    private mutating func claim(of base: Int32, _ name: String) -> ProgramNode? {
        let outer = nodes[Int(base)]
        let isClaim = outer.operation == .claim
        guard isClaim || outer.operation == .binding && outer.detail == ProgramBinding.auth.rawValue else {
            return nil
        }
        let before = isClaim ? operands[Int(outer.second)..<Int(outer.second + outer.count)] : []
        let path = Array(before) + [self.name(name)]
        return ProgramNode(
            operation: .claim, first: base, second: list(path), count: Int32(truncatingIfNeeded: path.count))
    }

    mutating func index(
        _ base: Expression, _ index: Expression, _ scope: Scope, _ number: Int32
    ) -> ProgramNode {
        if isHeaders(base, scope), case .string(let name) = index.kind {
            return ProgramNode(operation: .header, second: self.name(name))
        }
        return compound(.index, [base, index], scope, number)
    }
}
