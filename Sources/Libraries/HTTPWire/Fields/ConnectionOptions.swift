/// The options of a head's `Connection` fields (RFC 9110 section 7.6.1).
public struct ConnectionOptions: Sendable, Hashable {
    /// The maximum number of options of a head. Each is compared with each field.
    public static let maximumCount = 64
    /// The maximum size of all `Connection` values of a head, in bytes. They are read again for each announced trailer.
    public static let maximumSize = 4096

    /// Whether `close` is present.
    public var close = false
    /// Whether `keep-alive` is present.
    public var keepAlive = false
    /// Whether `upgrade` is present.
    public var upgrade = false
    /// Whether there are options other than `close`, `keep-alive`, `upgrade` and `te`: names of fields that are
    /// hop-by-hop only because of `Connection`.
    public var namesFields = false
    /// Whether there is an option that is not a token, or that names a field for framing or routing. Removing that
    /// field would change the meaning of the message for the next recipient.
    var hasMalformed = false

    /// Returns whether the `Connection` fields among `fields`, parsed from `head`, contain `name`, ignoring case.
    ///
    /// Fields of the same head are already marked (``Field/isNamedByConnection``). This method is for further names,
    /// such as trailers.
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

    /// Reads the options and marks the fields that they name.
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
            guard size <= maximumSize else { throw .malformed(reason: "Connection fields are too long") }
            for option in ListMembers(input.bytes(fields.storage[current].value)) {
                count += 1
                guard count <= maximumCount else { throw .malformed(reason: "too many Connection options") }
                options.record(option, input, fields)
            }
            index = fields.nextIndex(of: .connection, after: current)
        }
        return options
    }

    private mutating func record(_ option: UnsafeRawBufferPointer, _ input: HeadInput, _ fields: FieldTable) {
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
    /// Returns whether the client waits for `100 Continue`, the only expectation. HTTP/1.0 ignores it.
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
