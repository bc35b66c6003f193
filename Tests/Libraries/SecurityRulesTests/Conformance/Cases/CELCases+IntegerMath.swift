extension CELCases {
    static let integerMath = CELCases(
        file: "integer_math",
        rows: #"""
            [int64_math]
            add_positive_positive: 40 + 2 => 42
            add_positive_negative: 42 + (-7) => 35
            add_negative_negative: -4 + (-2) => -6
            sub_positive_positive: 42 - 12 => 30
            sub_positive_negative: 42 - (-22) => 64
            sub_negative_negative: -42 - (-12) => -30
            multiply_positive_positive: 42 * 2 => 84
            multiply_positive_negative: 40 * (-2) => -80
            multiply_negative_negative: -30 * (-2) => 60
            divide_positive_positive: 42 / 2 => 21
            divide_positive_negative: -20 / 2 => -10
            divide_negative_negative: -80 / (-2) => 40
            mod_positive_positive: 47 % 5 => 2
            mod_positive_negative: 43 % (-5) => 3
            mod_negative_negative: -42 % (-5) => -2
            mod_negative_positive: -3 % 5 => -3
            unary_minus_pos: -(42) => -42
            unary_minus_neg: -(-42) => 42
            unary_minus_no_overload: -(42u) => error
            unary_minus_not_bool: -false => error
            mod_zero: 34 % 0 => error
            negtive_zero: -(0) => 0
            double_negative: -(-42) => 42
            divide_zero: 15 / 0 => error
            multiply_zero: 15 * 0 => 0
            add_left_identity: 0 + 17 => 17
            add_right_identity: 29 + 0 => 29
            add_commutative: 75 + 15 == 15 + 75 => true
            add_associative: 5 + (15 + 20) == (5 + 15) + 20 => true
            mul_left_identity: 1 * 45 => 45
            mul_right_identity: -25 * 1 => -25
            mul_commutative: 15 * 25 == 25 * 15 => true
            mul_associative: 15 * (23 * 88) == (15 * 23) * 88 => true
            add_mul_distribute: 5 * (15 + 25)  == 5 * 15 + 5 * 25 => true
            int64_overflow_positive: 9223372036854775807 + 1 => error
            int64_overflow_negative: -9223372036854775808 - 1 => error
            int64_overflow_add_negative: -9223372036854775808 + (-1) => error
            int64_overflow_sub_positive: 1 - (-9223372036854775807) => error
            int64_min_negate: -(-9223372036854775808) => error
            int64_min_negate_mul: (-9223372036854775808) * -1 => error
            int64_min_negate_div: (-9223372036854775808)/-1 => error
            int64_overflow_mul_positive: 5000000000 * 5000000000 => error
            int64_overflow_mul_negative: (-5000000000) * 5000000000 => error
            uint64_overflow_positive: 18446744073709551615u + 1u => error
            uint64_overflow_negative: 0u - 1u => error
            uint64_overflow_mul_positive: 5000000000u * 5000000000u => error
            [uint64_math]
            add: 42u + 2u => 44u
            sub: 42u - 12u => 30u
            multiply: 40u * 2u => 80u
            divide: 60u / 2u => 30u
            mod: 42u % 5u => 2u
            negtive_no_overload: -(5u) => error
            mod_zero: 34u % 0u => error
            divide_zero: 15u / 0u => error
            multiply_zero: 15u * 0u => 0u
            add_left_identity: 0u + 17u => 17u
            add_right_identity: 29u + 0u => 29u
            add_commutative: 75u + 15u == 15u + 75u => true
            add_associative: 5u + (15u + 20u) == (5u + 15u) + 20u => true
            mul_left_identity: 1u * 45u => 45u
            mul_right_identity: 25u * 1u => 25u
            mul_commutative: 15u * 25u == 25u * 15u => true
            mul_associative: 15u * (23u * 88u) == (15u * 23u) * 88u => true
            add_mul_distribute: 5u * (15u + 25u)  == 5u * 15u + 5u * 25u => true
            """#)
}
