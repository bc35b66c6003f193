/// The operation of a request, in the terms of `allow`.
public enum RuleOperation: UInt8, Sendable, CaseIterable {
    /// GET or HEAD on a path that does not end in `/`.
    case get
    /// GET or HEAD on a path that ends in `/`.
    case list
    /// POST.
    case create
    /// PUT or PATCH.
    case update
    /// DELETE.
    case delete

    /// Creates the operation of an HTTP request. `nil` for other methods, which no `allow` names.
    ///
    /// - Parameters:
    ///   - method: The method as on the wire.
    ///   - path: The path without its query.
    public init?(method: UnsafeRawBufferPointer, path: UnsafeRawBufferPointer) {
        let isCollection = path.last == UInt8(ascii: "/")
        if Self.equals(method, "GET") || Self.equals(method, "HEAD") {
            self = isCollection ? .list : .get
        } else if Self.equals(method, "POST") {
            self = .create
        } else if Self.equals(method, "PUT") || Self.equals(method, "PATCH") {
            self = .update
        } else if Self.equals(method, "DELETE") {
            self = .delete
        } else {
            return nil
        }
    }

    private static func equals(_ method: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
        let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return method.count == name.count && method.elementsEqual(name)
    }
}

/// The operations of an `allow`.
struct RuleOperationSet: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ operation: RuleOperation) {
        rawValue = 1 << operation.rawValue
    }

    static let read: RuleOperationSet = [Self(.get), Self(.list)]
    static let write: RuleOperationSet = [Self(.create), Self(.update), Self(.delete)]
    static let all: RuleOperationSet = [read, write]

    func contains(_ operation: RuleOperation) -> Bool {
        contains(Self(operation))
    }
}

extension RuleOperationSet {
    /// The operations as in `allow`: `get, write`.
    var text: String {
        var words: [String] = []
        var left = self
        for (name, group) in [("read", RuleOperationSet.read), ("write", .write)] where isSuperset(of: group) {
            words.append(name)
            left.subtract(group)
        }
        words += RuleOperation.allCases.filter { left.contains($0) }.map { "\($0)" }
        return words.joined(separator: ", ")
    }
}
