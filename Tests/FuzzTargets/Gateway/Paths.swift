internal import Routing
internal import WireFuzzTargets

/// Paths: the canonical form, and that what routes match is what is forwarded.
///
/// The input is the path of a request target.
public func fuzzPaths(_ input: UnsafeRawBufferPointer) {
    withExactCopy(input) { path in
        checkCanonical(path)
        checkRoutes(path)
    }
}

private func checkCanonical(_ path: UnsafeRawBufferPointer) {
    let scratch = PathScratch(capacity: 8)
    guard let canonical = try? CanonicalPath(path, scratch: scratch) else { return }
    require(path.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"#?\\".utf8.contains($0) }, "no byte that splits is accepted")
    let merged = [UInt8](scratch.bytes(of: canonical.merged, in: path))
    let unmerged = [UInt8](scratch.bytes(of: canonical.unmerged, in: path))
    for form in [merged, unmerged] {
        require(form.count <= path.count, "a canonical path is no longer")
        PathProperties(form).check()
        checkIdempotent(form)
    }
    require(!PathProperties(merged).hasEmptySegments, "a merged path has no empty segments")
    require(canonical.hasEmptySegments == (merged != unmerged), "the forms differ by empty segments alone")
    require(PathProperties(unmerged).merged == merged, "merging is all that tells the forms apart")
    require(canonical.hasEncodedSlash || !PathProperties(merged).hasEncodedSlash, "an encoded slash is told")
}

/// The canonical form of a canonical form is itself, and taken without a copy unless it needs a closer look.
private func checkIdempotent(_ form: [UInt8]) {
    let scratch = PathScratch(capacity: 8)
    form.withUnsafeBytes { bytes in
        guard let again = try? CanonicalPath(bytes, scratch: scratch) else {
            return require(false, "a canonical path is accepted")
        }
        require(scratch.bytes(of: again.unmerged, in: bytes).elementsEqual(form), "canonicalising is idempotent")
    }
}
