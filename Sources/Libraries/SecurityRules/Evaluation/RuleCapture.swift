/// A capture of a route's pattern that a condition may name.
public struct RuleCapture: Sendable, Hashable {
    /// The name that the condition knows it by.
    public let name: String
    /// The segment of the request's path that it is, 0 the first; of a rest the first of its segments.
    public let segment: Int
    /// Whether it stands for all segments from there on (`{name=**}`): a path, else a string.
    public let isRest: Bool

    /// A capture.
    public init(name: String, segment: Int, isRest: Bool) {
        self.name = name
        self.segment = segment
        self.isRest = isRest
    }
}
