/// A scalar of a text with cached Unicode properties.
struct TextScalar {
    let value: UInt32
    /// The size in bytes.
    let length: Int
    private var knownVariants: CaseVariants?
    private var knownCategories: RegexCategories?
    private var knownVariantCategories: RegexCategories?

    /// Decodes the scalar at `offset`, which must be within the text. The text is valid UTF-8, since it is from a
    /// `String`.
    @inline(__always)
    init(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) {
        let first = UInt32(text[offset])
        if first < 0x80 {
            value = first
            length = 1
        } else {
            let left = text.count - offset
            length = min(left, first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4)
            var scalar = first & (first < 0xE0 ? 0x1F : first < 0xF0 ? 0x0F : 0x07)
            for index in 1..<max(length, 1) { scalar = scalar << 6 | UInt32(text[offset + index] & 0x3F) }
            value = scalar
        }
    }

    /// Creates a scalar without a text.
    init(_ scalar: UInt32) {
        value = scalar
        length = 0
    }

    mutating func variants() -> CaseVariants {
        if let knownVariants { return knownVariants }
        let variants = CaseVariants(of: value)
        knownVariants = variants
        return variants
    }

    /// Returns the scalar's category, or the categories of all its variants.
    mutating func categories(folding: Bool) -> RegexCategories {
        folding ? variantCategories() : ownCategory()
    }

    private mutating func ownCategory() -> RegexCategories {
        if let knownCategories { return knownCategories }
        let categories = RegexCategories(of: value)
        knownCategories = categories
        return categories
    }

    private mutating func variantCategories() -> RegexCategories {
        if let knownVariantCategories { return knownVariantCategories }
        let variants = variants()
        let categories = (0..<variants.count).reduce(into: RegexCategories()) {
            $0.formUnion(RegexCategories(of: variants[$1]))
        }
        knownVariantCategories = categories
        return categories
    }
}
