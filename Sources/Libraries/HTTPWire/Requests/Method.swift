/// The method of a request. Methods are case-sensitive: `get` is `other`.
public enum Method: UInt8, Sendable, CaseIterable {
    /// `GET`
    case get
    /// `HEAD`
    case head
    /// `POST`
    case post
    /// `PUT`
    case put
    /// `DELETE`
    case delete
    /// `PATCH`
    case patch
    /// `OPTIONS`
    case options
    /// `CONNECT`
    case connect
    /// `TRACE`
    case trace
    /// Any other token; its bytes are in ``RequestHead/methodRange``.
    case other

    /// The maximum length of a method, in bytes.
    public static let maximumLength = 32

    /// Creates the method with this name.
    public init(_ name: UnsafeRawBufferPointer) {
        guard let base = name.baseAddress else {
            self = .other
            return
        }
        self.init(base, count: name.count)
    }

    @inline(__always)
    init(_ name: UnsafeRawPointer, count: Int) {
        self =
            switch count {
            case 3: Method.ofThree(name)
            case 4: Method.ofFour(name)
            case 5: Method.ofFive(name)
            case 6: Method.spells(name, "DELETE") ? .delete : .other
            case 7: Method.spells(name, "OPTIONS") ? .options : Method.spells(name, "CONNECT") ? .connect : .other
            default: .other
            }
    }

    /// The name on the wire. `nil` for `other`.
    public var name: StaticString? {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .patch: "PATCH"
        case .options: "OPTIONS"
        case .connect: "CONNECT"
        case .trace: "TRACE"
        case .other: nil
        }
    }

    @inline(__always)
    private static func ofThree(_ name: UnsafeRawPointer) -> Method {
        spells(name, "GET") ? .get : spells(name, "PUT") ? .put : .other
    }

    @inline(__always)
    private static func ofFour(_ name: UnsafeRawPointer) -> Method {
        spells(name, "POST") ? .post : spells(name, "HEAD") ? .head : .other
    }

    @inline(__always)
    private static func ofFive(_ name: UnsafeRawPointer) -> Method {
        spells(name, "PATCH") ? .patch : spells(name, "TRACE") ? .trace : .other
    }

    @inline(__always)
    private static func spells(_ name: UnsafeRawPointer, _ text: StaticString) -> Bool {
        for offset in 0..<text.utf8CodeUnitCount where name.byte(offset) != text.utf8Start[offset] { return false }
        return true
    }
}
