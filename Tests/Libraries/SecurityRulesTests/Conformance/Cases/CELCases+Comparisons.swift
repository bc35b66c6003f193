extension CELCases {
    static let comparisons = CELCases(
        file: "comparisons",
        rows: #"""
            [eq_literal]
            eq_int: 1 == 1 => true
            not_eq_int: -1 == 1 => false
            eq_int_uint: dyn(1) == 1u => true
            not_eq_int_uint: dyn(2) == 1u => false
            eq_int_double: dyn(1) == 1.0 => true
            not_eq_int_double: dyn(2) == 1.0 => false
            eq_uint: 2u == 2u => true
            not_eq_uint: 1u == 2u => false
            eq_uint_int: dyn(1u) == 1 => true
            not_eq_uint_int: dyn(2u) == 1 => false
            eq_uint_double: dyn(1u) == 1.0 => true
            not_eq_uint_double: dyn(2u) == 1.0 => false
            eq_double: 1.0 == 1.0e+0 => true
            not_eq_double: -1.0 == 1.0 => false
            not_eq_double_nan: 0.0/0.0 == 0.0/0.0 => false
            not_eq_int_double_nan: dyn(1) == 0.0/0.0 => false
            not_eq_uint_double_nan: dyn(1u) == 0.0/0.0 => false
            eq_double_int: dyn(1.0) == 1 => true
            not_eq_double_int: dyn(2.0) == 1 => false
            eq_double_uint: dyn(1.0) == 1u => true
            not_eq_double_uint: dyn(2.0) == 1u => false
            eq_string: '' == "" => true
            not_eq_string: 'a' == 'b' => false
            eq_raw_string: 'abc' == r'abc' => true
            not_eq_string_case: 'abc' == 'ABC' => false
            eq_string_unicode: 'ίσος' == 'ίσος' => true
            not_eq_string_unicode_ascii: 'a' == 'à' => false
            no_string_normalization: 'Am\u00E9lie' == 'Ame\u0301lie' => false
            no_string_normalization_surrogate: '\U0001F436' == '\xef\xbf\xbd\xef\xbf\bd' => false
            eq_null: null == null => true
            eq_bool: true == true => true
            not_eq_bool: false == true => false
            eq_bytes: b'ÿ' == b'\303\277' => true
            not_eq_bytes: b'abc' == b'abcd' => false
            eq_list_empty: [] == [] => true
            eq_list_null: [null] == [null] => true
            not_eq_list_null: ['1', '2', null] == ['1', '2', '3'] => false
            eq_list_numbers: [1, 2, 3] == [1, 2, 3] => true
            eq_list_mixed_type_numbers: [1.0, 2.0, 3] == [1u, 2, 3u] => true
            not_eq_list_mixed_type_numbers: [1.0, 2.1] == [1u, 2] => false
            not_eq_list_order: [1, 2, 3] == [1, 3, 2] => false
            not_eq_list_string_case: ['case'] == ['cAse'] => false
            not_eq_list_length: ['one'] == [2, 3] => false
            not_eq_list_false_vs_types: [1, 'dos', 3] == [1, 2, 4] => false
            eq_map_empty: {} == {} => true
            eq_map_null: {'k': null} == {'k': null} => true
            not_eq_map_null: {'k': 1, 'j': 2} == {'k': 1, 'j': null} => false
            eq_map_onekey: {'k':'v'} == {"k":"v"} => true
            eq_map_double_value: {'k':1.0} == {'k':1e+0} => true
            eq_map_mixed_type_numbers: {1: 1.0, 2u: 3u} == {1u: 1, 2: 3.0} => true
            not_eq_map_value: {'k':'v'} == {'k':'v1'} => false
            not_eq_map_extra_key: {'k':'v','k1':'v1'} == {'k':'v'} => false
            eq_map_key_order: {'k1':'v1','k2':'v2'} == {'k2':'v2','k1':'v1'} => true
            not_eq_map_key_casing: {'key':'value'} == {'Key':'value'} => false
            not_eq_map_false_vs_types: {'k1': 1, 'k2': 'dos', 'k3': 3} == {'k1': 1, 'k2': 2, 'k3': 4} => false
            eq_mixed_types: 1.0 == 1 => true
            eq_list_elem_mixed_types: [1] == [1.0] => true
            eq_map_value_mixed_types: {'k':'v', 1:1} == {'k':'v', 1:'v1'} => false
            eq_dyn_json_null: dyn(google.protobuf.Value{}) == null => true
            not_eq_dyn_bool_null: dyn(false) == null => false
            not_eq_dyn_bytes_null: dyn(b'') == null => false
            not_eq_dyn_double_null: dyn(2.1) == null => false
            not_eq_dyn_duration_null: dyn(duration('0s')) == null => false
            not_eq_dyn_int_null: dyn(1) == null => false
            not_eq_dyn_list_null: dyn([]) == null => false
            not_eq_dyn_map_null: dyn({}) == null => false
            not_eq_dyn_<proto>_msg_null: dyn(TestAllTypes{}) == null => false
            not_eq_dyn_string_null: dyn('') == null => false
            not_eq_dyn_timestamp_null: dyn(timestamp(0)) == null => false
            not_eq_list_elem_null: [1, 2, null] == [1, null, 3] => false
            not_eq_map_value_null: {1:'hello', 2:'world'} == {1:'goodbye', 2:null} => false
            eq_dyn_int_uint: dyn(1) == 1u => true
            eq_dyn_int_double: dyn(1) == 1.0 => true
            eq_dyn_uint_int: dyn(1u) == 1 => true
            eq_dyn_uint_double: dyn(1u) == 1.0 => true
            eq_dyn_double_int: dyn(1.0) == 1 => true
            eq_dyn_double_uint: dyn(1.0) == 1u => true
            not_eq_dyn_int_uint: dyn(1) == 2u => false
            not_eq_dyn_int_double: dyn(1) == 2.0 => false
            not_eq_dyn_uint_int: dyn(1u) == 2 => false
            not_eq_dyn_uint_double: dyn(1u) == 120 => false
            not_eq_dyn_double_int: dyn(1.0) == 2 => false
            not_eq_dyn_double_uint: dyn(1.0) == 2u => false
            [eq_wrapper]
            eq_bool: google.protobuf.BoolValue{value: true} == true => true
            eq_bool_empty: google.protobuf.BoolValue{} == false => true
            eq_<wrapper>_not_null: google.protobuf.<wrapper>{} != null => true
            eq_<kind>_<proto>_null: TestAllTypes{}.single_<kind>_wrapper == null => true
            eq_bytes: google.protobuf.BytesValue{value: b'set'} == b'set' => true
            eq_bytes_empty: google.protobuf.BytesValue{} == b'' => true
            eq_double: google.protobuf.DoubleValue{value: -1.175494e-40} == -1.175494e-40 => true
            eq_double_empty: google.protobuf.DoubleValue{} == 0.0 => true
            eq_float: google.protobuf.FloatValue{value: -1.5} == -1.5 => true
            eq_float_empty: google.protobuf.FloatValue{} == 0.0 => true
            eq_int32: google.protobuf.Int32Value{value: 123} == 123 => true
            eq_int32_empty: google.protobuf.Int32Value{} == 0 => true
            eq_int64: google.protobuf.Int64Value{value: 2147483650} == 2147483650 => true
            eq_int64_empty: google.protobuf.Int64Value{} == 0 => true
            eq_string: google.protobuf.StringValue{value: 'set'} == 'set' => true
            eq_string_empty: google.protobuf.StringValue{} == '' => true
            eq_uint32: google.protobuf.UInt32Value{value: 42u} == 42u => true
            eq_uint32_empty: google.protobuf.UInt32Value{} == 0u => true
            eq_uint64: google.protobuf.UInt64Value{value: 4294967296u} == 4294967296u => true
            eq_uint64_empty: google.protobuf.UInt64Value{} == 0u => true
            eq_<proto>: TestAllTypes{single_int64: 1234, single_string: '1234'} == TestAllTypes{single_int64: 1234, single_string: '1234'} => true
            eq_<proto>_missing_fields_neq: TestAllTypes{single_int64: 1234} == TestAllTypes{single_string: '1234'} => false
            eq_proto_nan_equal: TestAllTypes{single_double: double('NaN')} == TestAllTypes{single_double: double('NaN')} => false
            eq_proto_different_types: dyn(TestAllTypes{}) == dyn(NestedTestAllTypes{}) => false
            eq_<proto>_any_unpack_equal: TestAllTypes{single_any: ...} == TestAllTypes{single_any: ...} => true
            eq_<proto>_any_unpack_not_equal: TestAllTypes{single_any: ...} == TestAllTypes{single_any: ...} => false
            eq_<proto>_any_unpack_bytewise_fallback_not_equal: TestAllTypes{single_any: ...} == TestAllTypes{single_any: ...} => false
            eq_<proto>_any_unpack_bytewise_fallback_equal: TestAllTypes{single_any: ...} == TestAllTypes{single_any: ...} => true
            [ne_literal]
            ne_int: 24 != 42 => true
            not_ne_int: 1 != 1 => false
            ne_int_double: dyn(24) != 24.1 => true
            not_ne_int_double: dyn(1) != 1.0 => false
            ne_int_uint: dyn(24) != 42u => true
            not_ne_int_uint: dyn(1) != 1u => false
            ne_uint: 1u != 2u => true
            not_ne_uint: 99u != 99u => false
            ne_uint_double: dyn(1u) != 2.0 => true
            not_ne_uint_double: dyn(99u) != 99.0 => false
            ne_double: 9.0e+3 != 9001.0 => true
            not_ne_double_nan: 0.0/0.0 != 0.0/0.0 => true
            not_ne_int_double_nan: dyn(1) != 0.0/0.0 => true
            not_ne_uint_double_nan: dyn(1u) != 0.0/0.0 => true
            not_ne_double: 1.0 != 1e+0 => false
            ne_double_int: dyn(9000) != 9001.0 => true
            not_ne_double_int: dyn(1) != 1e+0 => false
            ne_double_uint: dyn(9000u) != 9001.0 => true
            not_ne_double_uint: dyn(1u) != 1e+0 => false
            ne_double_nan: 0.0/0.0 != 0.0/0.0 => true
            ne_string: 'abc' != '' => true
            not_ne_string: 'abc' != 'abc' => false
            ne_string_unicode: 'résumé' != 'resume' => true
            not_ne_string_unicode: 'ίδιο' != 'ίδιο' => false
            ne_bytes: b'\x00\xFF' != b'ÿ' => true
            not_ne_bytes: b'\303\277' != b'ÿ' => false
            ne_bool: false != true => true
            not_ne_bool: true != true => false
            not_ne_null: null != null => false
            ne_list_empty: [] != [1] => true
            not_ne_list_empty: [] != [] => false
            ne_list_bool: [true, false, true] != [true, true, false] => true
            not_ne_list_bool: [false, true] != [false, true] => false
            not_ne_list_of_list: [[]] != [[]] => false
            ne_map_by_value: {'k':'v'} != {'k':'v1'} => true
            ne_map_by_key: {'k':true} != {'k1':true} => true
            not_ne_map_int_to_float: {1:1.0} != {1:1.0} => false
            not_ne_map_key_order: {'a':'b','c':'d'} != {'c':'d','a':'b'} => false
            ne_mixed_types: 2u != 2 => false
            ne_<proto>: TestAllTypes{single_int64: 1234, single_string: '1234'} != TestAllTypes{single_int64: 1234, single_string: '1234'} => false
            ne_<proto>_missing_fields_neq: TestAllTypes{single_int64: 1234} != TestAllTypes{single_string: '1234'} => true
            ne_proto_nan_not_equal: TestAllTypes{single_double: double('NaN')} != TestAllTypes{single_double: double('NaN')} => true
            ne_proto_different_types: dyn(TestAllTypes{}) != dyn(NestedTestAllTypes{}) => true
            ne_<proto>_any_unpack: TestAllTypes{single_any: ...} != TestAllTypes{single_any: ...} => false
            ne_<proto>_any_unpack_bytewise_fallback: TestAllTypes{single_any: ...} != TestAllTypes{single_any: ...} => true
            [lt_literal]
            lt_int: -1 < 0 => true
            not_lt_int: 0 < 0 => false
            lt_uint: 0u < 1u => true
            not_lt_uint: 2u < 2u => false
            lt_double: 1.0 < 1.0000001 => true
            not_lt_double: -0.0 < 0.0 => false
            lt_string: 'a' < 'b' => true
            lt_string_empty_to_nonempty: '' < 'a' => true
            lt_string_case: 'Abc' < 'aBC' => true
            lt_string_length: 'abc' < 'abcd' => true
            lt_string_diacritical_mark_sensitive: 'a' < '\u00E1' => true
            not_lt_string_empty: '' < '' => false
            not_lt_string_same: 'abc' < 'abc' => false
            not_lt_string_case_length: 'a' < 'AB' => false
            unicode_order_lexical: 'f' < '\u1EBF' => true
            lt_bytes: b'a' < b'b' => true
            not_lt_bytes_same: b'abc' < b'abc' => false
            not_lt_bytes_width: b'á' < b'b' => false
            lt_bool_false_first: false < true => true
            not_lt_bool_same: true < true => false
            not_lt_bool_true_first: true < false => false
            lt_list_unsupported: [0] < [1] => error
            lt_map_unsupported: {0:'a'} < {1:'b'} => error
            lt_null_unsupported: null < null => error
            lt_mixed_types_error: 'foo' < 1024 => error
            lt_dyn_int_uint: dyn(1) < 2u => true
            lt_dyn_int_double: dyn(1) < 2.0 => true
            lt_dyn_uint_int: dyn(1u) < 2 => true
            lt_dyn_uint_double: dyn(1u) < 2.0 => true
            lt_dyn_double_int: dyn(1.0) < 2 => true
            lt_dyn_double_uint: dyn(1.0) < 2u => true
            not_lt_dyn_int_uint: dyn(1) < 1u => false
            not_lt_dyn_int_double: dyn(1) < 1.0 => false
            not_lt_dyn_uint_int: dyn(1u) < 1 => false
            not_lt_dyn_uint_double: dyn(1u) < 1.0 => false
            not_lt_dyn_double_int: dyn(1.0) < 1 => false
            not_lt_dyn_double_uint: dyn(1.0) < 1u => false
            lt_dyn_int_big_uint: dyn(1) < 9223372036854775808u => true
            lt_dyn_small_int_uint: dyn(-1) < 0u => true
            not_lt_dyn_int_big_lossy_double: dyn(9223372036854775807) < 9223372036854775808.0 => false
            lt_dyn_int_big_lossy_double: dyn(9223372036854775807) < 9223372036854777857.0 => true
            not_lt_dyn_int_small_double: dyn(9223372036854775807) < -9223372036854777857.0 => false
            not_lt_dyn_int_small_lossy_double: dyn(-9223372036854775808) < -9223372036854775809.0 => false
            not_lt_dyn_uint_small_int: dyn(1u) < -9223372036854775808 => false
            not_lt_dyn_big_uint_int: dyn(9223372036854775808u) < 1 => false
            not_lt_dyn_uint_small_double: dyn(18446744073709551615u) < -1.0 => false
            lt_dyn_uint_big_double: dyn(18446744073709551615u) < 18446744073709590000.0 => true
            not_lt_dyn_big_double_uint: dyn(18446744073709553665.0) < 18446744073709551615u => false
            not_lt_dyn_big_double_int: dyn(9223372036854775808.0) < 9223372036854775807 => false
            not_lt_dyn_small_double_int: dyn(-9223372036854775809.0) < -9223372036854775808 => false
            [gt_literal]
            gt_int: 42 > -42 => true
            not_gt_int: 0 > 0 => false
            gt_uint: 48u > 46u => true
            not_gt_uint: 0u > 999u => false
            gt_double: 1e+1 > 1e+0 => true
            not_gt_double: .99 > 9.9e-1 => false
            gt_string_case: 'abc' > 'aBc' => true
            gt_string_to_empty: 'A' > '' => true
            not_gt_string_empty_to_empty: '' > '' => false
            gt_string_unicode: 'α' > 'omega' => true
            gt_bytes_one: b'␁' > b'␀' => true
            gt_bytes_one_to_empty: b'␀' > b'' => true
            not_gt_bytes_sorting: b'␀␁' > b'␁' => false
            gt_bool_true_false: true > false => true
            not_gt_bool_false_true: false > true => false
            not_gt_bool_same: true > true => false
            gt_null_unsupported: null > null => error
            gt_list_unsupported: [1] > [0] => error
            gt_map_unsupported: {1:'b'} > {0:'a'} => error
            gt_mixed_types_error: 'foo' > 1024 => error
            gt_dyn_int_uint: dyn(2) > 1u => true
            gt_dyn_int_double: dyn(2) > 1.0 => true
            gt_dyn_uint_int: dyn(2u) > 1 => true
            gt_dyn_uint_double: dyn(2u) > 1.0 => true
            gt_dyn_double_int: dyn(2.0) > 1 => true
            gt_dyn_double_uint: dyn(2.0) > 1u => true
            not_gt_dyn_int_uint: dyn(1) > 1u => false
            not_gt_dyn_int_double: dyn(1) > 1.0 => false
            not_gt_dyn_uint_int: dyn(1u) > 1 => false
            not_gt_dyn_uint_double: dyn(1u) > 1.0 => false
            not_gt_dyn_double_int: dyn(1.0) > 1 => false
            not_gt_dyn_double_uint: dyn(1.0) > 1u => false
            not_gt_dyn_int_big_uint: dyn(1) > 9223372036854775808u => false
            not_gt_dyn_small_int_uint: dyn(-1) > 0u => false
            not_gt_dyn_int_big_double: dyn(9223372036854775807) > 9223372036854775808.0 => false
            not_gt_dyn_int_small_lossy_double: dyn(-9223372036854775808) > -9223372036854775809.0 => false
            gt_dyn_int_small_lossy_double_greater: dyn(-9223372036854775808) > -9223372036854777857.0 => true
            gt_dyn_uint_small_int: dyn(1u) > -1 => true
            gt_dyn_big_uint_int: dyn(9223372036854775808u) > 1 => true
            gt_dyn_uint_small_double: dyn(9223372036854775807u) > -1.0 => true
            not_gt_dyn_uint_big_double: dyn(18446744073709551615u) > 18446744073709590000.0 => false
            gt_dyn_big_double_uint: dyn(18446744073709553665.0) > 18446744073709551615u => true
            not_gt_dyn_big_double_int: dyn(9223372036854775808.0) > 9223372036854775807 => false
            not_gt_dyn_small_double_int: dyn(-9223372036854775809.0) > -9223372036854775808 => false
            [lte_literal]
            lte_int_lt: 0 <= 1 => true
            lte_int_eq: 1 <= 1 => true
            not_lte_int_gt: 1 <= -1 => false
            lte_uint_lt: 0u <= 1u => true
            lte_uint_eq: 1u <= 1u => true
            not_lte_uint_gt: 1u <= 0u => false
            lte_double_lt: 0.0 <= 0.1e-31 => true
            lte_double_eq: 0.0 <= 0e-1 => true
            not_lte_double_gt: 1.0 <= 0.99 => false
            lte_string_empty: '' <= '' => true
            lte_string_from_empty: '' <= 'a' => true
            not_lte_string_to_empty: 'a' <= '' => false
            lte_string_lexicographical: 'aBc' <= 'abc' => true
            lte_string_unicode_eq: 'α' <= 'α' => true
            lte_string_unicode_lt: 'a' <= 'α' => true
            not_lte_string_unicode: 'α' <= 'a' => false
            lte_bytes_empty: b'' <= b'␀' => true
            not_lte_bytes_length: b'␁␀' <= b'␁' => false
            lte_bool_false_true: false <= true => true
            lte_bool_false_false: false <= false => true
            lte_bool_true_false: true <= false => false
            lte_null_unsupported: null <= null => error
            lte_list_unsupported: [0] <= [0] => error
            lte_map_unsupported: {0:'a'} <= {1:'b'} => error
            lte_mixed_types_error: 'foo' <= 1024 => error
            lte_dyn_int_uint: dyn(1) <= 2u => true
            lte_dyn_int_double: dyn(1) <= 2.0 => true
            lte_dyn_uint_int: dyn(1u) <= 2 => true
            lte_dyn_uint_double: dyn(1u) <= 2.0 => true
            lte_dyn_double_int: dyn(1.0) <= 2 => true
            lte_dyn_double_uint: dyn(1.0) <= 2u => true
            not_lte_dyn_int_uint: dyn(2) <= 1u => false
            not_lte_dyn_int_double: dyn(2) <= 1.0 => false
            not_lte_dyn_uint_int: dyn(2u) <= 1 => false
            not_lte_dyn_uint_double: dyn(2u) <= 1.0 => false
            not_lte_dyn_double_int: dyn(2.0) <= 1 => false
            not_lte_dyn_double_uint: dyn(2.0) <= 1u => false
            lte_dyn_int_big_uint: dyn(1) <= 9223372036854775808u => true
            lte_dyn_small_int_uint: dyn(-1) <= 0u => true
            lte_dyn_int_big_double: dyn(9223372036854775807) <= 9223372036854775808.0 => true
            lte_dyn_int_small_lossy_double: dyn(-9223372036854775808) <= -9223372036854775809.0 => true
            not_lte_dyn_int_small_lossy_double_less: dyn(-9223372036854775808) <= -9223372036854777857.0 => false
            not_lte_dyn_uint_small_int: dyn(1u) <= -9223372036854775808 => false
            not_lte_dyn_big_uint_int: dyn(9223372036854775808u) <= 1 => false
            not_lte_dyn_uint_small_double: dyn(18446744073709551615u) <= -1.0 => false
            lte_dyn_uint_big_double: dyn(18446744073709551615u) <= 18446744073709590000.0 => true
            not_lte_dyn_big_double_uint: dyn(18446744073709553665.0) <= 18446744073709551615u => false
            lte_dyn_big_double_int: dyn(9223372036854775808.0) <= 9223372036854775807 => true
            lte_dyn_small_double_int: dyn(-9223372036854775809.0) <= -9223372036854775808 => true
            [gte_literal]
            gte_int_gt: 0 >= -1 => true
            gte_int_eq: 999 >= 999 => true
            not_gte_int_lt: 999 >= 1000 => false
            gte_uint_gt: 1u >= 0u => true
            gte_uint_eq: 0u >= 0u => true
            not_gte_uint_lt: 1u >= 10u => false
            gte_double_gt: 1e+1 >= 1e+0 => true
            gte_double_eq: 9.80665 >= 9.80665e+0 => true
            not_gte_double_lt: 0.9999 >= 1.0 => false
            gte_string_empty: '' >= '' => true
            gte_string_to_empty: 'a' >= '' => true
            gte_string_empty_to_nonempty: '' >= 'a' => false
            gte_string_length: 'abcd' >= 'abc' => true
            not_gte_string_lexicographical: 'abc' >= 'abd' => false
            gte_string_unicode_eq: 'τ' >= 'τ' => true
            gte_string_unicode_gt: 'τ' >= 't' => true
            not_get_string_unicode: 't' >= 'τ' => false
            gte_bytes_to_empty: b'␀' >= b'' => true
            not_gte_bytes_empty_to_nonempty: b'' >= b'␀' => false
            gte_bytes_samelength: b'␀␁' >= b'␁␀' => false
            gte_bool_gt: true >= false => true
            gte_bool_eq: true >= true => true
            not_gte_bool_lt: false >= true => false
            gte_null_unsupported: null >= null => error
            gte_list_unsupported: ['y'] >= ['x'] => error
            gte_map_unsupported: {1:'b'} >= {0:'a'} => error
            gte_mixed_types_error: 'foo' >= 1.0 => error
            gte_dyn_int_uint: dyn(2) >= 1u => true
            gte_dyn_int_double: dyn(2) >= 1.0 => true
            gte_dyn_uint_int: dyn(2u) >= 1 => true
            gte_dyn_uint_double: dyn(2u) >= 1.0 => true
            gte_dyn_double_int: dyn(2.0) >= 1 => true
            gte_dyn_double_uint: dyn(2.0) >= 1u => true
            not_gte_dyn_int_uint: dyn(0) >= 1u => false
            not_gte_dyn_int_double: dyn(0) >= 1.0 => false
            not_gte_dyn_uint_int: dyn(0u) >= 1 => false
            not_gte_dyn_uint_double: dyn(0u) >= 1.0 => false
            not_gte_dyn_double_int: dyn(0.0) >= 1 => false
            not_gte_dyn_double_uint: dyn(0.0) >= 1u => false
            not_gte_dyn_int_big_uint: dyn(1) >= 9223372036854775808u => false
            not_gte_dyn_small_int_uint: dyn(-1) >= 0u => false
            gte_dyn_int_big_lossy_double: dyn(9223372036854775807) >= 9223372036854775808.0 => true
            not_gte_dyn_int_big_double: dyn(9223372036854775807) >= 9223372036854777857.0 => false
            gte_dyn_int_small_lossy_double_equal: dyn(-9223372036854775808) >= -9223372036854775809.0 => true
            gte_dyn_int_small_lossy_double_greater: dyn(-9223372036854775808) >= -9223372036854777857.0 => true
            gte_dyn_uint_small_int: dyn(1u) >= -1 => true
            gte_dyn_big_uint_int: dyn(9223372036854775808u) >= 1 => true
            gte_dyn_uint_small_double: dyn(9223372036854775807u) >= -1.0 => true
            not_gte_dyn_uint_big_double: dyn(18446744073709551615u) >= 18446744073709553665.0 => false
            gte_dyn_big_double_uint: dyn(18446744073709553665.0) >= 18446744073709551615u => true
            gte_dyn_big_double_int: dyn(9223372036854775808.0) >= 9223372036854775807 => true
            gte_dyn_small_double_int: dyn(-9223372036854775809.0) >= -9223372036854775808 => true
            [in_list_literal]
            elem_not_in_empty_list: 'empty' in [] => false
            elem_in_list: 'elem' in ['elem', 'elemA', 'elemB'] => true
            elem_not_in_list: 'not' in ['elem1', 'elem2', 'elem3'] => false
            elem_in_mixed_type_list: 'elem' in [1, 'elem', 2] => true
            elem_in_mixed_type_list_cross_type: 'elem' in [1u, 'str', 2, b'bytes'] => false
            [in_map_literal]
            key_not_in_empty_map: 'empty' in {} => false
            key_in_map: 'key' in {'key':'1', 'other':'2'} => true
            key_not_in_map: 'key' in {'lock':1, 'gate':2} => false
            key_in_mixed_key_type_map: 'key' in {3:3.0, 'key':2u} => true
            key_in_mixed_key_type_map_cross_type: 'key' in {1u:'str', 2:b'bytes'} => false
            [bound]
            bytes_gt_left_false: x > b'␀' where x = b'\x00' => false
            int_lte_right_true: 123 <= x where x = 124 => true
            bool_lt_right_true: false < x where x = true => true
            double_ne_left_false: x != 9.8 where x = 9.8 => false
            map_ne_right_false: {'a':'b','c':'d'} != x where x = {'c': 'd', 'a': 'b'} => false
            null_eq_left_true: x == null where x = null => true
            list_eq_right_false: [1, 2] == x where x = [2, 1] => false
            string_gte_right_true: 'abcd' >= x where x = 'abc' => true
            uint_eq_right_false: 999u == x where x = 1000u => false
            null_lt_right_no_such_overload: null < x where x = null => error
            """#)
}
