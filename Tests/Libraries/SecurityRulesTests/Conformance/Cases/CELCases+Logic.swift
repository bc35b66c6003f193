extension CELCases {
    static let logic = CELCases(
        file: "logic",
        rows: #"""
            [conditional]
            true_case: true ? 1 : 2 => 1
            false_case: false ? 'foo' : 'bar' => 'bar'
            error_case: 2 / 0 > 4 ? 'baz' : 'quux' => error
            mixed_type: true ? 'cows' : 17 => 'cows'
            bad_type: 'cows' ? false : 17 => error
            [AND]
            all_true: true && true => true
            all_false: false && false => false
            false_left: false && true => false
            false_right: true && false => false
            short_circuit_type_left: false && 32 => false
            short_circuit_type_right: 'horses' && false => false
            short_circuit_error_left: false && (2 / 0 > 3 ? false : true) => false
            short_circuit_error_right: (2 / 0 > 3 ? false : true) && false => false
            error_right: true && 1/0 != 0 => error
            error_left: 1/0 != 0 && true => error
            no_overload: 'less filling' && 'tastes great' => error
            [OR]
            all_true: true || true => true
            all_false: false || false => false
            false_left: false || true => true
            false_right: true || false => true
            short_circuit_type_left: true || 32 => true
            short_circuit_type_right: 'horses' || true => true
            short_circuit_error_left: true || (2 / 0 > 3 ? false : true) => true
            short_circuit_error_right: (2 / 0 > 3 ? false : true) || true => true
            error_right: false || 1/0 != 0 => error
            error_left: 1/0 != 0 || false => error
            no_overload: 'less filling' || 'tastes great' => error
            [NOT]
            not_true: !true => false
            not_false: !false => true
            no_overload: !0 => error
            """#)
}
