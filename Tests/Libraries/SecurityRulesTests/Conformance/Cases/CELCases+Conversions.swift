extension CELCases {
    static let conversions = CELCases(
        file: "conversions",
        rows: #"""
            [bytes]
            string_empty: bytes('') => b''
            string: bytes('abc') => b'abc'
            string_unicode: bytes('ÿ') => b'\xc3\xbf'
            string_unicode_vs_literal: bytes('\377') == b'\377' => false
            [double]
            int_zero: double(0) => 0.0
            int_pos: double(1000000000000) => 1e12
            int_neg: double(-1000000000000000) => -1e15
            int_min_exact: double(-9007199254740992) => -9.007199254740992e15
            int_max_exact: double(9007199254740992) => 9.007199254740992e15
            int_range: double(9223372036854775807) => 9.223372036854775807e18
            uint_zero: double(0u) => 0.0
            uint_pos: double(123u) => 123.0
            uint_max_exact: double(9007199254740992u) => 9.007199254740992e15
            uint_range: double(18446744073709551615u) => 1.8446744073709551615e19
            string_zero: double('0') => 0.0
            string_zero_dec: double('0.0') => 0.0
            string_neg_zero: double('-0.0') => -0.0
            string_no_dec: double('123') => 123.0
            string_pos: double('123.456') => 123.456
            string_neg: double('-987.654') => -987.654
            string_exp_pos_pos: double('6.02214e23') => 6.02214e23
            string_exp_pos_neg: double('1.38e-23') => 1.38e-23
            string_exp_neg_pos: double('-84.32e7') => -8.432e8
            string_exp_neg_neg: double('-5.43e-21') => -5.43e-21
            [dyn]
            dyn_heterogeneous_list: type(dyn([1, 'one'])) => type
            [int]
            uint: int(42u) => 42
            uint_zero: int(0u) => 0
            uint_max_exact: int(9223372036854775807u) => 9223372036854775807
            uint_range: int(18446744073709551615u) => error
            double_round_neg: int(-123.456) => -123
            double_truncate: int(1.9) => 1
            double_truncate_neg: int(-7.9) => -7
            double_half_pos: int(11.5) => 11
            double_half_neg: int(-3.5) => -3
            double_big_exact: int(double(36028797018963968)) => 36028797018963968
            double_big_precision: int(double(36028797018963969)) => 36028797018963968
            double_int_max_range: int(9223372036854775807.0) => error
            double_int_min_range: int(-9223372036854775808.0) => error
            double_range: int(1e99) => error
            string: int('987') => 987
            timestamp: int(timestamp('2004-09-16T23:59:59Z')) => 1095379199
            [string]
            int: string(123) => '123'
            int_neg: string(-456) => '-456'
            uint: string(9876u) => '9876'
            double: string(123.456) => '123.456'
            double_hard: string(-4.5e-3) => '-0.0045'
            bytes: string(b'abc') => 'abc'
            bytes_unicode: string(b'\303\277') => 'ÿ'
            bytes_invalid: string(b'\000\xff') => error
            [type]
            bool: type(true) => type
            bool_denotation: bool => type
            dyn_no_denotation: dyn => error
            int: type(0) => type
            int_denotation: int => type
            eq_same: type(true) == type(false) => true
            uint: type(64u) => type
            uint_denotation: uint => type
            double: type(3.14) => type
            double_denotation: double => type
            null_type: type(null) => type
            null_type_denotation: null_type => type
            string: type('foo') => type
            string_denotation: string => type
            bytes: type(b'\xff') => type
            bytes_denotation: bytes => type
            list: type([1, 2, 3]) => type
            list_denotation: list => type
            lists_monomorphic: type([1, 2, 3]) == type(['one', 'two', 'three']) => true
            map: type({4: 16}) => type
            map_denotation: map => type
            map_monomorphic: type({'one': 1}) == type({1: 'one'}) => true
            eq_diff: type(7) == type(7u) => false
            neq_same: type(0.0) != type(-0.0) => false
            neq_diff: type(0.0) != type(0) => true
            meta: type(type(7)) == type(type(7u)) => true
            type: type(int) => type
            type_denotation: type => type
            type_type: type(type) => type
            [uint]
            int: uint(1729) => 1729u
            int_max: uint(9223372036854775807) => 9223372036854775807u
            int_neg: uint(-1) => error
            double: uint(3.14159265) => 3u
            double_truncate: uint(1.9) => 1u
            double_half: uint(25.5) => 25u
            double_big_exact: uint(double(36028797018963968u)) => 36028797018963968u
            double_big_precision: uint(double(36028797018963969u)) => 36028797018963968u
            double_uint_max_range: int(18446744073709551615.0) => error
            double_range_beyond_uint: uint(6.022e23) => error
            string: uint('300') => 300u
            """#)
}
