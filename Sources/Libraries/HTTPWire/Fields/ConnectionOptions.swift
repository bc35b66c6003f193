/// What the `Connection` fields of a head say (RFC 9110 section 7.6.1).
public struct ConnectionOptions: Sendable, Hashable {
    /// The most options of a head: each is compared with each field, so their number is bounded.
    public static let maximumCount = 64
    /// The most bytes of all `Connection` values of a head together: each is read anew for each trailer that is announced.
    public static let maximumSize = 4096

    /// `close` is among them.
    public var close = false
    /// `keep-alive` is among them.
    public var keepAlive = false
    /// `upgrade` is among them.
    public var upgrade = false
    /// There are options besides `close`, `keep-alive`, `upgrade` and `te`: names of fields that are for this
    /// connection only and that nothing but `Connection` says so of.
    public var namesFields = false
    /// There is an option that is no token, or that names a field which frames or routes the message: to take that out
    /// because `Connection` says so would change what the next reader sees.
    var hasMalformed = false

    /// Whether the `Connection` fields among `fields`, parsed from `head`, name the field `name`, in whatever case.
    ///
    /// The fields of the same head are marked already (``Field/isNamedByConnection``); this is for other names, such as
    /// those of trailers.
    public static func name(_ name: UnsafeRawBufferPointer, in head: UnsafeRawBufferPointer, _ fields: FieldTable)
        -> Bool
    {
        var index = fields.firstIndex(of: .connection)
        while let current = index {
            let options = ListMembers(fields[current].value.bytes(in: head))
            for option in options where ASCII.equals(option, name) { return true }
            index = fields.nextIndex(of: .connection, after: current)
        }
        return false
    }

    /// Reads the options, and marks the fields that they name.
    @inline(__always)
    static func read(_ input: HeadInput, _ fields: FieldTable) throws(HeadError) -> ConnectionOptions {
        guard let first = fields.firstIndex(of: .connection) else { return ConnectionOptions() }
        return try read(input, fields, first: first)
    }

    private static func read(
        _ input: HeadInput, _ fields: FieldTable, first: Int
    ) throws(HeadError) -> ConnectionOptions {
        var options = ConnectionOptions()
        var count = 0
        var size = 0
        var index: Int? = first
        while let current = index {
            size &+= fields.storage[current].value.count
            guard size <= maximumSize else { throw .malformed(reason: "too long Connection fields") }
            for option in ListMembers(input.bytes(fields.storage[current].value)) {
                count += 1
                guard count <= maximumCount else { throw .malformed(reason: "too many Connection options") }
                options.note(option, input, fields)
            }
            index = fields.nextIndex(of: .connection, after: current)
        }
        return options
    }

    private mutating func note(_ option: UnsafeRawBufferPointer, _ input: HeadInput, _ fields: FieldTable) {
        if ASCII.equals(option, "keep-alive") {
            keepAlive = true
        } else if ASCII.equals(option, "close") {
            close = true
        } else if ASCII.equals(option, "upgrade") {
            upgrade = true
        } else if !ConnectionOptions.mayName(option) {
            hasMalformed = true
        } else if !ASCII.equals(option, "te") {
            namesFields = true
            fields.markNamed(option, input)
        }
    }

    private static func mayName(_ option: UnsafeRawBufferPointer) -> Bool {
        guard option.allSatisfy(ByteClass.isToken) else { return false }
        let kind = FieldNameClassifier.kind(of: option)
        return kind != .host && kind != .contentLength
    }
}

extension FieldTable {
    fileprivate func markNamed(_ name: UnsafeRawBufferPointer, _ input: HeadInput) {
        for index in 0..<count where ASCII.equals(input.bytes(storage[index].name), name) {
            storage[index].isNamedByConnection = true
        }
    }
}

/// The `Expect` fields of a request (RFC 9110 section 10.1.1).
enum Expectation {
    /// Whether the client waits for `100 Continue`. Of HTTP/1.0 that is ignored; there is no other expectation.
    @inline(__always)
    static func wantsContinue(
        _ input: HeadInput, _ fields: FieldTable, minorVersion: UInt8
    ) throws(HeadError) -> Bool {
        guard fields.contains(.expect) else { return false }
        try check(input, fields)
        return minorVersion == 1
    }

    private static func check(_ input: HeadInput, _ fields: FieldTable) throws(HeadError) {
        var index = fields.firstIndex(of: .expect)
        while let current = index {
            guard ASCII.equals(input.bytes(fields[current].value), "100-continue") else {
                throw .malformed(reason: "unknown expectation")
            }
            index = fields.nextIndex(of: .expect, after: current)
        }
    }
}
