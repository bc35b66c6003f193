extension CELCases {
    static let lists = CELCases(
        file: "lists",
        rows: #"""
            [concatentation]
            list_append: [0, 1, 2] + [3, 4, 5] == [0, 1, 2, 3, 4, 5] => true
            list_not_commutative: [0, 1, 2] + [3, 4, 5] == [3, 4, 5, 0, 1, 2] => false
            list_repeat: [2] + [2] => [2, 2]
            empty_empty: [] + [] => []
            left_unit: [] + [3, 4] => [3, 4]
            right_unit: [1, 2] + [] => [1, 2]
            [index]
            zero_based: [7, 8, 9][0] => 7
            zero_based_double: [7, 8, 9][dyn(0.0)] => 7
            zero_based_double_error: [7, 8, 9][dyn(0.1)] => error
            zero_based_uint: [7, 8, 9][dyn(0u)] => 7
            singleton: ['foo'][0] => 'foo'
            middle: [0, 1, 1, 2, 3, 5, 8, 13][4] => 3
            last: ['George', 'John', 'Paul', 'Ringo'][3] => 'Ringo'
            index_out_of_bounds: [1, 2, 3][3] => error
            index_out_of_bounds_or_false: dyn([1, 2, 3][3]) || false => error
            index_out_of_bounds_or_true: dyn([1, 2, 3][3]) || true => true
            index_out_of_bounds_and_false: dyn([1, 2, 3][3]) && false => false
            index_out_of_bounds_and_true: dyn([1, 2, 3][3]) && true => error
            bad_index_type: [1, 2, 3][dyn('')] => error
            bad_index_type_or_false: dyn([1, 2, 3][dyn('')]) || false => error
            bad_index_type_or_true: dyn([1, 2, 3][dyn('')]) || true => true
            bad_index_type_and_false: dyn([1, 2, 3][dyn('')]) && false => false
            bad_index_type_and_true: dyn([1, 2, 3][dyn('')]) && true => error
            [in]
            empty: 7 in [] => false
            singleton: 4u in [4u] => true
            first: 'alpha' in ['alpha', 'beta', 'gamma'] => true
            middle: 3 in [5, 4, 3, 2, 1] => true
            last: 20u in [4u, 6u, 8u, 12u, 20u] => true
            double_in_ints: dyn(3.0) in [5, 4, 3, 2, 1] => true
            uint_in_ints: dyn(3u) in [5, 4, 3, 2, 1] => true
            int_in_doubles: dyn(3) in [5.0, 4.0, 3.0, 2.0, 1.0] => true
            uint_in_doubles: dyn(3u) in [5.0, 4.0, 3.0, 2.0, 1.0] => true
            int_in_uints: dyn(3) in [5u, 4u, 3u, 2u, 1u] => true
            double_in_uints: dyn(3.0) in [5u, 4u, 3u, 2u, 1u] => true
            missing: 'hawaiian' in ['meat', 'veggie', 'margarita', 'cheese'] => false
            [size]
            list_empty: size([]) => 0
            list: size([1, 2, 3]) => 3
            map_empty: size({}) => 0
            map: size({1: 'one', 2: 'two', 3: 'three'}) => 3
            """#)
}
