internal import HTTPWire

/// The fields of a head in a canonical spelling.
struct HeadCopy {
    let fields: FieldTable
    let bytes: UnsafeRawBufferPointer

    /// Returns the head: the output of `first`, and the fields.
    func written(_ first: (inout HeadWriter) -> Void) -> [UInt8] {
        let size = bytes.count + 2 * fields.count + 16
        return [UInt8](unsafeUninitializedCapacity: size) { output, count in
            var writer = HeadWriter(from: bytes, into: UnsafeMutableRawBufferPointer(output))
            first(&writer)
            for index in 0..<fields.count { write(fields[index], &writer) }
            writer.append("\r\n")
            let expected = writer.count
            let length = writer.finish() ?? -1
            require(length == expected, "a writer writes what it counts")
            count = length
        }
    }

    private func write(_ field: Field, _ writer: inout HeadWriter) {
        writer.keep(field.name)
        writer.append(": ")
        writer.keep(field.value)
        writer.append("\r\n")
    }

    /// Checks that the fields of the copy are the same fields.
    func check(_ others: FieldTable, in raw: UnsafeRawBufferPointer) {
        require(others.count == fields.count, "written anew, a head has as many fields")
        for index in 0..<min(fields.count, others.count) {
            let (one, other) = (fields[index], others[index])
            require(one.kind == other.kind, "written anew, a field is of the same kind")
            require(one.isNamedByConnection == other.isNamedByConnection, "written anew, Connection names the same")
            require(bytes.part(one.name.range).elementsEqual(raw.part(other.name.range)), "names stay")
            require(bytes.part(one.value.range).elementsEqual(raw.part(other.value.range)), "values stay")
        }
    }
}
