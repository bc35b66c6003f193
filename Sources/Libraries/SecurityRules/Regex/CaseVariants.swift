/// The scalars that `(?i)` treats as equal: those with the same simple case folding.
///
/// Only Unicode mappings to a single scalar count, so `ß` differs from `SS`. Dotless `ı` is not a variant of `i` (as
/// in RE2).
struct CaseVariants {
    private var members = SIMD8<UInt32>()
    private(set) var count = 0

    init(of scalar: UInt32) {
        append(scalar)
        if scalar < 0x80 {
            let small = scalar | 0x20
            guard UInt32(0x61)...UInt32(0x7A) ~= small else { return }
            append(scalar ^ 0x20)
            appendOthers(small)
        } else {
            let base = Self.base(scalar)
            append(base)
            append(Self.single(base) { $0.uppercaseMapping })
            append(Self.single(base) { $0.titlecaseMapping })
            appendOthers(base)
        }
    }

    subscript(_ index: Int) -> UInt32 { members[index] }

    private mutating func append(_ scalar: UInt32) {
        for index in 0..<count where members[index] == scalar { return }
        guard count < members.scalarCount else { return }
        members[count] = scalar
        count += 1
    }

    /// Returns the common representative of a scalar's variants.
    private static func base(_ scalar: UInt32) -> UInt32 {
        if scalar == 0x131 { return scalar }
        return single(single(scalar) { $0.uppercaseMapping }) { $0.lowercaseMapping }
    }

    private static func single(_ scalar: UInt32, _ mapping: (Unicode.Scalar.Properties) -> String) -> UInt32 {
        guard let known = Unicode.Scalar(scalar) else { return scalar }
        let mapped = mapping(known.properties).unicodeScalars
        guard let first = mapped.first, mapped.count == 1 else { return scalar }
        // The capital of dotless i is that of i.
        return scalar == 0x131 ? scalar : first.value
    }

    /// Appends the variants that no mapping of `base` reaches.
    private mutating func appendOthers(_ base: UInt32) {
        switch base {
        case 0x6B: append(0x212A)
        case 0x73: append(0x17F)
        case 0xDF: append(0x1E9E)
        case 0xE5: append(0x212B)
        case 0x3B2: append(0x3D0)
        case 0x3B5: append(0x3F5)
        case 0x3B8: appendBoth(0x3D1, 0x3F4)
        case 0x3B9: appendBoth(0x345, 0x1FBE)
        case 0x3BA: append(0x3F0)
        case 0x3BC: append(0xB5)
        case 0x3C0: append(0x3D6)
        case 0x3C1: append(0x3F1)
        case 0x3C3: append(0x3C2)
        case 0x3C6: append(0x3D5)
        case 0x3C9: append(0x2126)
        default: appendOtherCyrillic(base)
        }
    }

    private mutating func appendOtherCyrillic(_ base: UInt32) {
        switch base {
        case 0x432: append(0x1C80)
        case 0x434: append(0x1C81)
        case 0x43E: append(0x1C82)
        case 0x441: append(0x1C83)
        case 0x442: appendBoth(0x1C84, 0x1C85)
        case 0x44A: append(0x1C86)
        case 0x463: append(0x1C87)
        case 0x1E61: append(0x1E9B)
        case 0xA64B: append(0x1C88)
        default: break
        }
    }

    private mutating func appendBoth(_ one: UInt32, _ other: UInt32) {
        append(one)
        append(other)
    }
}
