/// A location in a configuration, for errors and routes.
package struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The file as passed to the loader, or the option or environment variable of the value.
    package let file: String
    /// The line, from 1; 0 for a value that is not in a file.
    package let line: Int
    /// The column in Unicode scalars, from 1; 0 for a value that is not in a file.
    package let column: Int

    /// Creates a location in a file.
    package init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// Creates the location of a value that is not in a file. `origin` is its option or environment variable.
    package init(origin: String) {
        self.init(file: origin, line: 0, column: 0)
    }

    /// `FILE:LINE:COLUMN`, or only the origin.
    package var description: String {
        line == 0 ? file : "\(file):\(line):\(column)"
    }

    /// Orders locations by position in the file.
    package static func < (lhs: SourceLocation, rhs: SourceLocation) -> Bool {
        (lhs.file, lhs.line, lhs.column) < (rhs.file, rhs.line, rhs.column)
    }
}
