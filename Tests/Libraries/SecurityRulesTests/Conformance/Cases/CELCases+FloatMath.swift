extension CELCases {
    static let floatMath = CELCases(
        file: "fp_math",
        rows: #"""
            [fp_math]
            add_positive_positive: 4.25 + 15.25 => 19.5
            add_positive_negative: 17.75 + (-7.75) => 10.0
            add_negative_negative: -4.125 + (-2.125) => -6.25
            sub_positive_positive: 42.0 - 12.0 => 30.0
            sub_positive_negative: 42.875 - (-22.0) => 64.875
            sub_negative_negative: -4.875 - (-0.125) => -4.75
            multiply_positive_positive: 42.5 * 0.2 => 8.5
            multiply_positive_negative: 40.75 * (-2.25) => -91.6875
            multiply_negative_negative: -3.0 * (-2.5) => 7.5
            divide_positive_positive: 0.0625 / 0.002 => 31.25
            divide_positive_negative: -2.0 / 2.0 => -1.0
            divide_negative_negative: -8.875 / (-0.0625) => 142.0
            mod_not_support: 47.5 % 5.5 => error
            negative: -(4.5) => -4.5
            double_negative: -(-1.25) => 1.25
            negative_zero: -(0.0) => -0.0
            divide_zero: 15.75 / 0.0 => inf
            multiply_zero: 15.36 * 0.0 => 0.0
            add_left_identity: 0.0 + 1.75 => 1.75
            add_right_identity: 2.5 + 0.0 => 2.5
            add_commutative: 7.5 + 1.5 == 1.5 + 7.5 => true
            add_associative: 5.625 + (15.75 + 2.0) == (5.625 + 15.75) + 2.0 => true
            mul_left_identity: 1.0 * 45.25 => 45.25
            mul_right_identity: -25.25 * 1.0 => -25.25
            mul_commutative: 1.5 * 25.875 == 25.875 * 1.5 => true
            mul_associative: 1.5 * (23.625 * 0.75) == (1.5 * 23.625) * 0.75 => true
            add_mul_distribute: 5.75 * (1.5 + 2.5)  == 5.75 * 1.5 + 5.75 * 2.5 => true
            fp_overflow_positive: 2.0 * 8.988466e+307 => inf
            fp_overflow_negative: 2.0 * -8.988466e+307 => -inf
            fp_underflow: 1e-324  / 2.0 => 0.0
            """#)
}
