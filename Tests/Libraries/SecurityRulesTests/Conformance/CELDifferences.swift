/// The outcomes that differ from CEL, by reason. Each case of the common subset agrees, or is listed here once.
enum CELDifferences {
    /// A reason, and the cases that it explains: `file/section/name`. `*` at the end represents any suffix.
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
            text:
                "an `int` and a `float` are compared by their exact values; CEL converts the `int` to a `double` first",
            patterns: [
                "comparisons/lt_literal/not_lt_dyn_int_big_lossy_double",
                "comparisons/gt_literal/not_gt_dyn_big_double_int", "comparisons/lte_literal/lte_dyn_big_double_int",
                "comparisons/gte_literal/gte_dyn_int_big_lossy_double",
            ]),
        Reason(
            text: "`matches` tests the whole string, as in Firestore; CEL searches in it",
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
            text: "the keys of a map are strings, so a search for another kind is an error; in CEL it is not found",
            patterns: ["fields/in/empty"]),
        Reason(
            text: "the index of a list is an `int`; CEL also accepts a `double` without a fraction",
            patterns: ["lists/index/zero_based_double"]),
        Reason(
            text: "`int` accepts every `float` whose integer has 64 bits; CEL rejects the least one",
            patterns: ["conversions/int/double_int_min_range"]),
        Reason(
            text:
                "a duration may have 10,000 years in either direction, as in protobuf; CEL's cases reject 9,998 years",
            patterns: ["timestamps/timestamp_range/sub_time_duration_*"]),
    ]

    /// The result of CEL at evaluation, but refused at load.
    static let refusals = [
        Reason(
            text: "an unknown name or function; CEL's cases are not checked",
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
            text: "a claim compared with null: a missing claim is an error, and the message contains the correct test",
            patterns: ["comparisons/bound/null_eq_left_true"]),
    ]
}
