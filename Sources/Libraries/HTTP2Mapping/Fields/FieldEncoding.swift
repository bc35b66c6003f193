package import NIOHPACK

/// The encoding of fields for HPACK (RFC 7541): which fields may enter the dynamic table, and the size of a head.
///
/// A connection carries the messages of many users. A field that varies by user or request never enters the table: no
/// later head can refer to it, and NIO's encoder searches its table line by line.
package enum FieldEncoding {
    /// The maximum size of an encoded head, in bytes: the smallest SETTINGS_MAX_FRAME_SIZE. NIO's encoder writes no
    /// CONTINUATION, and fails after it has changed the dynamic table if a head exceeds one frame.
    package static let maximumHeadSize = 16_384

    /// Returns how to encode a field. All fields are literals that are never indexed, except fields with few values.
    package static func indexing(of name: String, value: String) -> HPACKIndexing {
        guard value.utf8.count <= 64 else { return .neverIndexed }
        return switch name {
        case ":status", ":method", ":scheme", "accept-ranges", "cache-control", "content-encoding", "content-type",
            "grpc-accept-encoding", "grpc-encoding", "grpc-status", "server", "strict-transport-security", "te",
            "vary", "x-content-type-options", "x-frame-options":
            .indexable
        default: .neverIndexed
        }
    }

    /// Returns an upper bound of the encoded size of a head. NIO encodes each string with the Huffman code, whatever
    /// the result's size.
    package static func maximumSize(of fields: HPACKHeaders) -> Int {
        // Table size updates at the start of a block.
        var size = 12
        for (name, value, _) in fields { size += 1 + maximumSize(of: name) + maximumSize(of: value) }
        return size
    }

    /// The bound of a string: its length of at most 5 bytes, and the longest codes of each class of characters.
    private static func maximumSize(of text: String) -> Int {
        var bits = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): bits += 7
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: " "), UInt8(ascii: "%"): bits += 8
            case UInt8(ascii: "*"), UInt8(ascii: "&"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"):
                bits += 8
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "_"):
                bits += 8
            case UInt8(ascii: "\\"): bits += 19
            case 0x20...0x7E: bits += 15
            default: bits += 30
            }
        }
        return 5 + (bits + 7) / 8
    }
}
