@testable import SecurityRules

extension RuleValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    init(nilLiteral: ()) { self = .null }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(floatLiteral value: Double) { self = .float(value) }
    init(stringLiteral value: String) { self = .string(value) }
    init(arrayLiteral elements: RuleValue...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, RuleValue)...) {
        self = .map(RuleMap(elements.map { (key: $0.0, value: $0.1) }))
    }
}

extension RuleValue {
    static func set(_ elements: RuleValue...) -> RuleValue { .set(RuleSet(distinct: elements)) }
    static func bytes(_ text: String) -> RuleValue { .bytes(Array(text.utf8)) }
    static func path(_ segments: String...) -> RuleValue { .path(RulePath(segments)) }
    static func diff(_ map: RuleMap, _ other: RuleMap) -> RuleValue { .mapDiff(RuleMapDiff(map, other)) }

    /// `null` for a time out of range.
    static func time(_ seconds: Int64, _ nanoseconds: Int32 = 0) -> RuleValue {
        RuleTimestamp(seconds: seconds, nanoseconds: nanoseconds).map(RuleValue.timestamp) ?? .null
    }

    static func span(_ seconds: Int64, _ nanoseconds: Int32 = 0) -> RuleValue {
        RuleDuration(seconds: seconds, nanoseconds: nanoseconds).map(RuleValue.duration) ?? .null
    }
}

extension RuleMap {
    convenience init(_ entries: KeyValuePairs<String, RuleValue>) {
        self.init(entries.map { (key: $0.key, value: $0.value) })
    }
}

/// The outcome of an operation.
enum Outcome: CustomStringConvertible, Sendable {
    case value(RuleValue)
    case failure(RuleFailure.Reason)

    init(_ body: (inout WorkBudget) throws(RuleFailure) -> RuleValue) {
        var work = WorkBudget()
        do throws(RuleFailure) { self = .value(try body(&work)) } catch { self = .failure(error.reason) }
    }

    /// Whether two values have the same kind and are equal. NaN equals NaN here.
    func isSame(as other: Outcome) -> Bool {
        switch (self, other) {
        case (.failure(let a), .failure(let b)): return a == b
        case (.value(.float(let a)), .value(.float(let b))) where a.isNaN: return b.isNaN
        case (.value(let a), .value(let b)):
            var work = WorkBudget()
            return a.kind == b.kind && (try? RuleValue.equal(a, b, &work)) == true
        default: return false
        }
    }

    var description: String {
        switch self {
        case .value(let value): "\(value.kind.name) \(value.text)"
        case .failure(let reason): "failure \(reason)"
        }
    }
}
