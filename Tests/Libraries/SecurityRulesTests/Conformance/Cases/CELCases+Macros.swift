extension CELCases {
    static let macros = CELCases(
        file: "macros",
        rows: #"""
            [exists]
            list_elem_all_true: [1, 2, 3].exists(e, e > 0) => true
            list_elem_some_true: [1, 2, 3].exists(e, e == 2) => true
            list_elem_none_true: [1, 2, 3].exists(e, e > 3) => false
            list_elem_type_shortcircuit: [1, 'foo', 3].exists(e, e != '1') => true
            list_elem_type_exhaustive: [1, 'foo', 3].exists(e, e == '10') => false
            list_elem_exists_error: [1, 2, 3].exists(e, e / 0 == 17) => error
            list_empty: [].exists(e, e == 2) => false
            map_key: {'key1':1, 'key2':2}.exists(k, k == 'key2') => true
            not_map_key: !{'key1':1, 'key2':2}.exists(k, k == 'key3') => true
            map_key_type_shortcircuit: {'key':1, 1:21}.exists(k, k != 2) => true
            map_key_type_exhaustive: !{'key':1, 1:42}.exists(k, k == 2) => true
            [all]
            list_elem_all_true: [1, 2, 3].all(e, e > 0) => true
            list_elem_some_true: [1, 2, 3].all(e, e == 2) => false
            list_elem_none_true: [1, 2, 3].all(e, e == 17) => false
            list_elem_type_shortcircuit: [1, 'foo', 3].all(e, e == 1) => false
            list_elem_type_exhaustive: [1, 'foo', 3].all(e, e % 2 == 1) => error
            list_elem_error_shortcircuit: [1, 2, 3].all(e, 6 / (2 - e) == 6) => false
            list_elem_error_exhaustive: [1, 2, 3].all(e, e / 0 != 17) => error
            list_empty: [].all(e, e > 0) => true
            map_key: {'key1':1, 'key2':2}.all(k, k == 'key2') => false
            [exists_one]
            list_empty: [].exists_one(a, a == 7) => false
            list_one_true: [7].exists_one(a, a == 7) => true
            list_one_false: [8].exists_one(a, a == 7) => false
            list_none: [1, 2, 3].exists_one(x, x > 20) => false
            list_one: [6, 7, 8].exists_one(foo, foo % 5 == 2) => true
            list_many: [0, 1, 2, 3, 4].exists_one(n, n % 2 == 1) => false
            list_all: ['foal', 'foo', 'four'].exists_one(n, n.startsWith('fo')) => false
            list_no_shortcircuit: [3, 2, 1, 0].exists_one(n, 12 / n > 1) => error
            map_one: {6: 'six', 7: 'seven', 8: 'eight'}.exists_one(foo, foo % 5 == 2) => true
            [map]
            list_empty: [].map(n, n / 2) => []
            list_one: [3].map(n, n * n) => [9]
            list_many: [2, 4, 6].map(n, n / 2) => [1, 2, 3]
            list_error: [2, 1, 0].map(n, 4 / n) => error
            [filter]
            list_empty: [].filter(n, n % 2 == 0) => []
            list_one_true: [2].filter(n, n == 2) => [2]
            list_one_false: [1].filter(n, n > 3) => []
            list_none: [1, 2, 3].filter(e, e > 3) => []
            list_some: [0, 1, 2, 3, 4].filter(x, x % 2 == 1) => [1, 3]
            list_all: [1, 2, 3].filter(n, n > 0) => [1, 2, 3]
            list_no_shortcircuit: [3, 2, 1, 0].filter(n, 12 / n > 4) => error
            [nested]
            filter_all: ['signer'].filter(signer, ['artifact'].all(artifact, true)) => ['signer']
            all_all: ['signer'].all(signer, ['artifact'].all(artifact, true)) => true
            """#)
}
