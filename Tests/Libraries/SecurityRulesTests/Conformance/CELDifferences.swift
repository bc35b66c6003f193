/// The outcomes that differ from CEL's, by reason. Each case of the common subset agrees, or is listed here once.
enum CELDifferences {
    /// A reason, and the cases that it explains: `file/section/name`, with `*` at the end for all that begin so.
    struct Reason: Sendable {
        let text: String
        let patterns: [String]

        func explains(_ test: CELCase) -> Bool {
            patterns.contains { pattern in
                pattern.hasSuffix("*") ? test.id.hasPrefix(pattern.dropLast()) : test.id == pattern
            }
        }
    }

    /// Another value, or an error where CEL has a value, or a value where CEL has an error.
    static let outcomes = [
        Reason(
            text: "an `int` and a `float` compare by their exact values; CEL makes the `int` a `double` first",
            patterns: [
                "comparisons/lt_literal/not_lt_dyn_int_big_lossy_double",
                "comparisons/gt_literal/not_gt_dyn_big_double_int", "comparisons/lte_literal/lte_dyn_big_double_int",
                "comparisons/gte_literal/gte_dyn_int_big_lossy_double",
            ]),
        Reason(
            text: "`matches` tests the whole string, as Firestore's; CEL's searches in it",
            patterns: [
                "string/matches/basic", "string/matches/empty_arg", "string/matches/re_concat",
                "string/matches/unicode*",
            ]),
        Reason(
            text: "in a literal, control characters other than a tab are written as escapes",
            patterns: [
                "parse/string_literals/single_quoted_unescaped_*", "parse/string_literals/double_quoted_unescaped_*",
                "parse/bytes_literals/single_quoted_unescaped_*", "parse/bytes_literals/double_quoted_unescaped_*",
            ]),
        Reason(
            text: "the keys of a map are strings: to look for anything else in one is an error; in CEL it is not there",
            patterns: ["fields/in/empty"]),
        Reason(
            text: "the index of a list is an `int`; CEL takes a `double` without a fraction",
            patterns: ["lists/index/zero_based_double"]),
        Reason(
            text: "`int` takes every `float` whose integer has 64 bits; CEL leaves out the least",
            patterns: ["conversions/int/double_int_min_range"]),
        Reason(
            text:
                "a duration may span 10,000 years either way, as protobuf's; CEL's cases expect that 9,998 are too many",
            patterns: ["timestamps/timestamp_range/sub_time_duration_*"]),
    ]

    /// As in CEL when it runs, and refused when it is loaded.
    static let refusals = [
        Reason(
            text: "a name or function that is not there; CEL's cases are not checked",
            patterns: [
                "basic/variables/unbound_is_runtime_error", "basic/functions/unbound_is_runtime_error",
                "parse/receiver_function_names/*",
            ]),
        Reason(
            text: "a comparison that is never true, whatever the request",
            patterns: [
                "comparisons/eq_literal/not_eq_dyn_*", "comparisons/in_list_literal/elem_not_in_empty_list",
                "lists/in/empty",
            ]),
        Reason(
            text: "a part that always fails",
            patterns: [
                "logic/AND/short_circuit_error_*", "logic/OR/short_circuit_error_*",
                "lists/index/index_out_of_bounds_*",
            ]),
        Reason(
            text: "an operand of a kind that always fails",
            patterns: [
                "logic/AND/short_circuit_type_*", "logic/OR/short_circuit_type_*", "lists/index/bad_index_type_*",
            ]),
        Reason(
            text: "a claim compared with null: a missing claim is an error, and the message says how to ask for it",
            patterns: ["comparisons/bound/null_eq_left_true"]),
    ]
}
