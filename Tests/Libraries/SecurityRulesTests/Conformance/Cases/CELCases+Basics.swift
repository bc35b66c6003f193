extension CELCases {
    static let basics = CELCases(
        file: "basic",
        rows: #"""
            [self_eval_zeroish]
            self_eval_int_zero: 0 => 0
            self_eval_uint_zero: 0u => 0u
            self_eval_uint_alias_zero: 0U => 0u
            self_eval_float_zero: 0.0 => 0.0
            self_eval_float_zerowithexp: 0e+0 => 0.0
            self_eval_string_empty: '' => ''
            self_eval_string_empty_quotes: "" => ''
            self_eval_string_raw_prefix: r"" => ''
            self_eval_bytes_empty: b"" => b''
            self_eval_bool_false: false => false
            self_eval_null: null => null
            self_eval_empty_list: [] => []
            self_eval_empty_map: {} => {}
            self_eval_string_raw_prefix_triple_double: r"""""" => ''
            self_eval_string_raw_prefix_triple_single: r'''''' => ''
            [self_eval_nonzeroish]
            self_eval_int_nonzero: 42 => 42
            self_eval_uint_nonzero: 123456789u => 123456789u
            self_eval_uint_alias_nonzero: 123456789U => 123456789u
            self_eval_int_negative_min: -9223372036854775808 => -9223372036854775808
            self_eval_float_negative_exp: -2.3e+1 => -23.0
            self_eval_string_excl: "!" => '!'
            self_eval_string_escape: '\'' => '\''
            self_eval_bytes_escape: b'ÿ' => b'\xc3\xbf'
            self_eval_bytes_invalid_utf8: b'\000\xff' => b'\x00\xff'
            self_eval_list_singleitem: [-1] => [-1]
            self_eval_map_singleitem: {"k":"v"} => {'k': 'v'}
            self_eval_bool_true: true => true
            self_eval_int_hex: 0x55555555 => 1431655765
            self_eval_int_hex_negative: -0x55555555 => -1431655765
            self_eval_uint_hex: 0x55555555u => 1431655765u
            self_eval_uint_alias_hex: 0x55555555U => 1431655765u
            self_eval_unicode_escape_four: "\u270c" => '✌'
            self_eval_unicode_escape_eight: "\U0001f431" => '🐱'
            self_eval_ascii_escape_seq: "\a\b\f\n\r\t\v\"\'\\" => '\x07\x08\x0c\n\r\t\x0b"\'\\'
            [variables]
            self_eval_bound_lookup: x where x = 123 => 123
            self_eval_unbound_lookup: x => error
            unbound_is_runtime_error: x || true => true
            [functions]
            binop: 1 + 1 => 2
            unbound: f_unknown(17) => error
            unbound_is_runtime_error: f_unknown(17) || true => true
            [reserved_const]
            false: false => false
            true: true => true
            null: null => null
            """#)
}
