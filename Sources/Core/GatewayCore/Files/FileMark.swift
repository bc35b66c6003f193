/// What tells that a file was written or replaced, without reading it.
package struct FileMark: Hashable, Sendable {
    let path: String
    private let stamp: FileStamp

    /// Nil where there is no such file.
    package init?(_ path: String) {
        guard let stamp = FileStamp(of: path) else { return nil }
        self.path = path
        self.stamp = stamp
    }
}
