import GatewayCore

/// One value of a YAML document.
package struct YAMLNode {
    enum Content {
        /// A text, and whether it was written without quotes.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        /// In the order of the file.
        case mapping([YAMLMember])
    }

    let content: Content
    let location: SourceLocation
}

/// One key of a mapping and its value.
package struct YAMLMember {
    let key: String
    let keyLocation: SourceLocation
    let value: YAMLNode
}
