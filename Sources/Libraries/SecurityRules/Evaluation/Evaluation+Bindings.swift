extension Evaluation {
    /// Returns the request's value of a `ProgramBinding`, which is loaded once.
    @inline(__always)
    mutating func binding(_ number: UInt8) -> RuleValue {
        if loaded & (1 << number) != 0 { return values[Int(number)] }
        return load(number)
    }

    @inline(never)
    private mutating func load(_ number: UInt8) -> RuleValue {
        let value = made(number)
        values[Int(number)] = value
        loaded |= 1 << number
        return value
    }

    private mutating func made(_ number: UInt8) -> RuleValue {
        switch ProgramBinding(rawValue: number) {
        case .auth: bindings?.value(of: .auth) ?? .null
        case .method: bindings?.value(of: .method) ?? .null
        case .host: bindings?.value(of: .host) ?? .null
        case .query: bindings?.value(of: .query) ?? .null
        case .headers: bindings?.value(of: .headers) ?? .null
        case .app: bindings?.value(of: .app) ?? .null
        case .path: segments(0..<path.count)
        case .time: time
        case nil: .unreadable
        }
    }

    /// Returns one field of `request.headers` without creating a map of all fields.
    @inline(never)
    mutating func header(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        let absent = node.operation == .headerOrDefault ? try value(node.third, program) : .null
        let field = header(node.second, program)
        guard case .null = field else { return field }
        guard node.operation == .headerOrDefault else { throw RuleFailure(.noSuchMember) }
        return absent
    }

    mutating func hasHeader(_ node: ProgramNode, _ program: Program) -> Bool {
        if case .null = header(node.second, program) { return false }
        return true
    }

    private mutating func header(_ name: Int32, _ program: Program) -> RuleValue {
        bindings?.value(of: .header(program.names[Int(name)])) ?? .null
    }

    /// Returns a capture of the current block, created on first use.
    @inline(never)
    mutating func capture(_ number: Int32, _ program: Program) -> RuleValue {
        let index = Int(number)
        guard index < UInt64.bitWidth else { return made(capture: index, program) }
        if capturesLoaded & (1 << UInt64(index)) != 0 { return captureValues[index] }
        let value = made(capture: index, program)
        while captureValues.count <= index { captureValues.append(.null) }
        captureValues[index] = value
        capturesLoaded |= 1 << UInt64(index)
        return value
    }

    private func made(capture index: Int, _ program: Program) -> RuleValue {
        let capture = program.matches.captures[captures + index]
        let range = capture.segments(of: path.count)
        if capture.isRest { return segments(range) }
        // The capture of a route's pattern that the path does not match.
        guard let segment = range.first, let text = path.text(segment) else { return .unreadable }
        return .string(text)
    }

    private func segments(_ range: Range<Int>) -> RuleValue {
        var texts: [String] = []
        texts.reserveCapacity(range.count)
        for segment in range {
            guard let text = path.text(segment) else { return .unreadable }
            texts.append(text)
        }
        return .path(RulePath(texts))
    }

    /// Returns the bytes of a capture of one segment. `nil` unless the bytes equal its text.
    @inline(__always)
    func plainCapture(_ number: Int32, _ program: Program) -> UnsafeRawBufferPointer? {
        let capture = program.matches.captures[captures + Int(number)]
        guard !capture.isRest, let segment = capture.segments(of: path.count).first else { return nil }
        return path.plain(segment)
    }
}
