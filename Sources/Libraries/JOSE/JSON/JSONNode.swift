/// One entry of a document's tape.
///
/// Values are in the order of the text. An object's members are pairs: a string node for the name, then the value with
/// all that is in it. `next` is the index after the last node of the subtree, so that a reader can step over it.
struct JSONNode: Sendable {
    /// Where the text begins: a string's first byte after the quote, otherwise the value's first byte.
    var start: UInt32
    /// Where it ends: the closing quote of a string, otherwise the byte after the value.
    var end: UInt32
    /// The node after this value; of a container that is still open, the container around it.
    var next: UInt32
    /// The number of a container's elements or members; 1 for `true`.
    var count: UInt32
    var kind: JSONValue.Kind
    /// Whether a string has escapes, so that its text is not its value.
    var isEscaped: Bool

    /// The container around the outermost value.
    static let none = UInt32.max
}
