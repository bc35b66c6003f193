extension RuleCoveragePage {
    static let style = """
        :root {
          color-scheme: light dark;
          --text: #1f2328; --dim: #59636e; --page: #ffffff; --panel: #f6f8fa; --line: #d1d9e0;
          --full: #dafbe1; --part: #fff3c4; --none: #ffdcd7;
          --full-edge: #1a7f37; --part-edge: #9a6700; --none-edge: #cf222e;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --text: #e6edf3; --dim: #9198a1; --page: #0d1117; --panel: #151b23; --line: #3d444d;
            --full: #10331d; --part: #3d2e00; --none: #4a1517;
            --full-edge: #3fb950; --part-edge: #d29922; --none-edge: #f85149;
          }
        }
        body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
        main { max-width: 70rem; margin: 0 auto; padding: 1.5rem; }
        h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
        h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere; }
        small, .key { color: var(--dim); font-weight: normal; }
        a { color: inherit; }
        .summary strong { font-size: 1.4rem; margin-right: .5rem; }
        .good { color: var(--full-edge); }
        .bad { color: var(--none-edge); font-weight: bold; }
        .key span { padding: .1rem .4rem; border-radius: .2rem; color: var(--text); margin-right: .3rem; }
        .overview { border-collapse: collapse; }
        .overview td { padding: .2rem 1rem .2rem 0; font-variant-numeric: tabular-nums; }
        .overview meter { width: 10rem; }
        .source { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; background: var(--panel); }
        .source table { border-collapse: collapse; width: 100%; }
        .source td { padding: 0 .6rem; height: 20px; font: 13px/20px ui-monospace, monospace; }
        .source td:first-child { width: 1%; text-align: right; color: var(--dim); user-select: none;
          border-left: .3rem solid transparent; }
        code { font: 13px/1.5 ui-monospace, monospace; white-space: pre; }
        li code { white-space: pre-wrap; overflow-wrap: anywhere; }
        tr.full td:first-child { border-left-color: var(--full-edge); }
        tr.part td:first-child { border-left-color: var(--part-edge); }
        tr.none td:first-child { border-left-color: var(--none-edge); }
        span.full { background: var(--full); }
        span.part { background: var(--part); }
        span.none { background: var(--none); }
        .source span.part { text-decoration: underline wavy var(--part-edge) 1px; }
        .source span.none { text-decoration: underline wavy var(--none-edge) 1px; }
        .source span:hover { outline: 1px solid var(--dim); }
        .source span:hover:has(span:hover) { outline: none; }
        """
}
