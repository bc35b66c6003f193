extension DemoPage {
    /// Calm, light or dark as the system is; one column on a phone.
    static let style = #"""

        :root {
          --page: #f6f6f3; --card: #fff; --line: #dfdfd8; --text: #1f2328; --soft: #5a626b; --code: #f3f4f1;
          --accent: #20558a; --on-accent: #fff; --good: #1a6b3c; --good-back: #e2f3e8; --bad: #8f3b00; --bad-back: #fdeede;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #16181b; --card: #1e2125; --line: #34393f; --text: #e6e8ea; --soft: #a2abb4; --code: #17191c;
            --accent: #8ab8e6; --on-accent: #10202f; --good: #8fd6aa; --good-back: #1c3526; --bad: #f3b27c; --bad-back: #3b2a1b;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 74rem; background: var(--page); color: var(--text);
          font: 1rem/1.5 system-ui, sans-serif; display: grid; gap: 1rem 1.5rem; grid-template-columns: minmax(0, 1fr);
        }
        h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; letter-spacing: -0.01em; }
        h2 { margin: 0 0 0.4rem; font-size: 1.1rem; }
        p { margin: 0 0 0.8rem; }
        code, pre { font: 0.82rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
        .brand { margin: 0 0 0.2rem; color: var(--accent); font-weight: 600; font-size: 0.9rem; }
        .lead { margin: 0.6rem 0 0; max-width: 46rem; color: var(--soft); }
        .note { margin: 0.8rem 0 0; color: var(--soft); font-size: 0.85rem; }
        section, aside { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem; }
        section { margin: 0 0 1rem; scroll-margin-top: 1rem; }
        section > p { max-width: 46rem; }
        .number {
          display: inline-grid; place-items: center; width: 1.7rem; height: 1.7rem; margin-right: 0.35rem; border-radius: 50%;
          background: var(--code); border: 1px solid var(--line); font-size: 0.9rem;
        }
        .controls { display: flex; flex-wrap: wrap; gap: 0.7rem; align-items: end; }
        .controls:empty { display: none; }
        label {
          display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.2rem; max-width: 100%; font-size: 0.85rem; color: var(--soft);
        }
        select, button {
          font: inherit; min-height: 2.6rem; max-width: 100%; padding: 0.4rem 0.9rem; border-radius: 7px;
          border: 1px solid var(--line); background: var(--card); color: var(--text);
        }
        button { cursor: pointer; font-weight: 600; }
        button:hover { border-color: var(--accent); }
        button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
        [aria-busy="true"] button { cursor: progress; opacity: 0.7; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .outcome { margin: 0.9rem 0 0; padding: 0.5rem 0.8rem; border-radius: 7px; background: var(--code); overflow-wrap: anywhere; }
        .outcome:empty { display: none; }
        .outcome.good { background: var(--good-back); color: var(--good); }
        .outcome.bad { background: var(--bad-back); color: var(--bad); }
        .next { display: flex; flex-wrap: wrap; gap: 0.7rem; margin: 0.7rem 0 0; }
        .next:empty, .wire:empty { display: none; }
        .wire { list-style: none; margin: 0.9rem 0 0; padding: 0; }
        .wire li { border-top: 1px solid var(--line); padding: 0.45rem 0; }
        .wire li:last-child { padding-bottom: 0; }
        summary { cursor: pointer; overflow-wrap: anywhere; }
        .method { font-weight: 700; }
        .status {
          display: inline-block; padding: 0 0.5rem; border-radius: 99px; font-size: 0.82rem; font-weight: 700; background: var(--code);
        }
        .status.good { background: var(--good-back); color: var(--good); }
        .status.bad { background: var(--bad-back); color: var(--bad); }
        .status:empty { display: none; }
        .aside { color: var(--soft); font-size: 0.82rem; }
        .pair { display: grid; gap: 0.6rem; grid-template-columns: minmax(0, 1fr); margin: 0.4rem 0 0.2rem; }
        figure { margin: 0; min-width: 0; }
        figcaption { color: var(--soft); font-size: 0.78rem; }
        pre {
          margin: 0; padding: 0.5rem 0.7rem; max-height: 22rem; overflow: auto; border-radius: 7px; background: var(--code);
          white-space: pre-wrap; overflow-wrap: anywhere;
        }
        #who { font-weight: 600; overflow-wrap: anywhere; }
        #auth { margin-top: 0.5rem; max-height: 60vh; }
        @media (min-width: 40rem) { .pair { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
        @media (min-width: 62rem) {
          body { grid-template-columns: minmax(0, 1fr) 22rem; }
          header { grid-column: 1 / -1; }
          aside { grid-column: 2; grid-row: 2; align-self: start; position: sticky; top: 1rem; }
          main { grid-column: 1; grid-row: 2; }
        }

        """#
}
