/// Lines on their way to a `LogWriter`.
package struct LogBatch: Sendable {
    /// Whole lines, each with its line feed.
    package let bytes: [UInt8]
    /// How many lines they are.
    package let lines: Int
}

/// A place from which a `LogWriter` takes lines. Only the writer's thread calls it.
package protocol LogSource: Sendable {
    /// Takes out the lines that wait; `nil` if there are none.
    ///
    /// - Parameter isLast: Whether the writer ends after this call.
    func take(isLast: Bool) -> LogBatch?
}
