/// A place in a configuration: what every configuration error and every route carries.
package struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The file as it was named to the loader, or the option or environment variable that the value came from.
    package let file: String
    /// 1-based; 0 where the value stands in no file.
    package let line: Int
    /// 1-based, counted in Unicode scalars; 0 where the value stands in no file.
    package let column: Int

    /// A place in a file.
    package init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// A value that stands in no file: `origin` is the option or the environment variable that gave it.
    package init(origin: String) {
        self.init(file: origin, line: 0, column: 0)
    }

    /// `FILE:LINE:COLUMN`, or the origin alone where there is no file.
    package var description: String {
        line == 0 ? file : "\(file):\(line):\(column)"
    }

    /// Orders by place within a file.
    package static func < (lhs: SourceLocation, rhs: SourceLocation) -> Bool {
        (lhs.file, lhs.line, lhs.column) < (rhs.file, rhs.line, rhs.column)
    }
}
