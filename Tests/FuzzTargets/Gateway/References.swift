internal import WireFuzzTargets
internal import Yams

/// That a text which came as far as being composed has neither anchors, which aliases could multiply, nor tags.
func checkHasNoReferences(_ bytes: [UInt8]) {
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard let text = String(validating: content, as: UTF8.self),
        let root = try? Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    else { return }
    check(root)
}

private func check(_ node: Node) {
    require(node.anchor == nil, "no anchor comes through")
    switch node {
    case .mapping(let mapping):
        for (key, value) in mapping {
            check(key)
            check(value)
        }
    case .sequence(let sequence): for element in sequence { check(element) }
    case .scalar, .alias: break
    }
}
