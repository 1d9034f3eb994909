// SPDX-License-Identifier: Apache-2.0
// The style sheet of reports: light and dark, phone and A4, fonts of the reader's machine.

extension HTML {
  /// The style sheet of reports, but for the colours of the page map, which its palette has.
  static let styleSheet = """
    :root {
      color-scheme: light dark;
      --paper: #ffffff; --ink: #1b1d21; --soft: #5b616b; --line: #d9dce1; --card: #f5f6f8;
      --good: #1a7f42; --warning: #8f5a00; --bad: #b3261e;
      --good-card: #e9f6ee; --warning-card: #fdf3e0; --bad-card: #fdecea;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root {
        --paper: #16181c; --ink: #e6e8eb; --soft: #a0a7b2; --line: #343941; --card: #1f2228;
        --good: #63c98a; --warning: #e8b35a; --bad: #ff8a80;
        --good-card: #16291d; --warning-card: #2d2413; --bad-card: #341b1a;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
      overflow-wrap: anywhere;
    }
    main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; }
    h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
    h2 { font-size: 1.2rem; margin: 0 0 .75rem; }
    h3 { font-size: 1rem; margin: 0 0 .25rem; }
    p { margin: 0 0 .6rem; }
    section { margin-top: 2.25rem; }
    .kind, .dim, footer, dt, .legend { color: var(--soft); }
    .kind { margin: 0 0 .25rem; font-size: .9rem; }
    .good { color: var(--good); }
    .warning { color: var(--warning); }
    .bad { color: var(--bad); }
    .name { font-weight: 600; }
    code, .symbols, .code b {
      font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
      font-size: .92em;
    }
    .command {
      display: inline-block; max-width: 100%; padding: .3rem .6rem; border-radius: .4rem;
      background: var(--card); border: 1px solid var(--line);
      white-space: pre; overflow-x: auto; vertical-align: middle;
    }
    .verdict { padding: 1rem 1.25rem; border-left: .4rem solid; border-radius: .4rem; }
    .verdict.good { background: var(--good-card); }
    .verdict.warning { background: var(--warning-card); }
    .verdict.bad { background: var(--bad-card); }
    .verdict > * { color: var(--ink); }
    .verdict .word { font-size: 1.5rem; font-weight: 700; line-height: 1.2; color: inherit; }
    .verdict .meaning { font-size: 1.1rem; }
    .verdict > :last-child { margin-bottom: 0; }
    .card, .code {
      padding: 1rem 1.25rem; margin: 0 0 .9rem; border: 1px solid var(--line);
      border-radius: .5rem; background: var(--paper); break-inside: avoid;
    }
    .code { margin-top: 1.25rem; background: var(--card); }
    .code h2 { font-size: .95rem; margin: 0 0 .25rem; color: var(--soft); font-weight: 600; }
    .symbols { font-size: 1.45rem; font-weight: 700; letter-spacing: .04em; margin: 0 0 .4rem; }
    .code p:not(.symbols) { font-size: .9rem; color: var(--soft); margin: 0 0 .25rem; }
    .code ol {
      list-style: none; margin: 0; padding: 0; font-size: .9rem;
      display: grid; grid-template-columns: repeat(4, 1fr); gap: .1rem 1.5rem;
    }
    .code b { white-space: nowrap; font-size: 1rem; display: block; }
    .card > :last-child, .code > :last-child, .card > .wide:last-child > table {
      margin-bottom: 0;
    }
    .card > .wide:last-child tr:last-child td { border-bottom: 0; }
    .options { list-style: none; margin: 0; padding: 0; }
    .tag {
      font-size: .8rem; font-weight: 600; padding: .1rem .5rem; border-radius: 1rem;
      border: 1px solid currentColor; white-space: nowrap; margin-left: .4rem;
    }
    .label { display: none; }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: .95rem; margin: .25rem 0 .6rem; }
    th, td {
      text-align: left; vertical-align: top; padding: .35rem .9rem .35rem 0;
      border-bottom: 1px solid var(--line); overflow-wrap: break-word;
    }
    th { color: var(--soft); font-weight: 600; font-size: .85rem; white-space: nowrap; }
    th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
    td.number { white-space: nowrap; }
    td:first-child { min-width: 8rem; }
    .digest { word-break: break-all; }
    tr { break-inside: avoid; }
    dl { margin: 0; }
    dl > div {
      display: grid; grid-template-columns: 13rem 1fr; gap: 0 1rem; padding: .35rem 0;
      border-bottom: 1px solid var(--line); font-size: .95rem;
    }
    dd { margin: 0; }
    summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
    .map { display: block; max-width: 100%; height: auto; }
    .map.points { image-rendering: pixelated; border: 1px solid var(--line); }
    .verdict .advice { font-weight: 600; }
    .card ul, section > ul { margin: 0 0 .6rem; padding-left: 1.25rem; }
    path.missing { fill-opacity: 0; stroke: var(--soft); }
    path.damaged { stroke: var(--ink); vector-effect: non-scaling-stroke; }
    .legend {
      list-style: none; margin: .9rem 0 0; padding: 0; font-size: .9rem;
      display: flex; flex-wrap: wrap; gap: .25rem 1.25rem;
    }
    .legend svg { width: .85rem; height: .85rem; vertical-align: -.1rem; margin-right: .4rem; }
    .pages { margin: .6rem 0 0; font-size: .9rem; color: var(--soft); }
    footer { margin-top: 2.5rem; font-size: .85rem; }
    @media (max-width: 36rem) {
      main { padding: 1rem .9rem 2rem; }
      h1 { font-size: 1.4rem; }
      .symbols { font-size: 1.05rem; letter-spacing: 0; }
      th { white-space: normal; vertical-align: bottom; }
      th, td { padding-right: .6rem; }
      td:first-child { min-width: 6.5rem; overflow-wrap: anywhere; }
      td.number { white-space: normal; }
      .command { white-space: pre-wrap; }
      th:last-child, td:last-child { padding-right: 0; }
      .stacked thead { display: none; }
      .stacked tr { display: block; border-bottom: 1px solid var(--line); padding: .3rem 0; }
      .stacked td { display: inline-block; border: 0; padding: 0 1rem 0 0; font-size: .85rem; }
      .stacked td:first-child { display: block; padding: 0; font-size: .95rem; }
      .stacked .label { display: inline; color: var(--soft); }
      .code ol { grid-template-columns: 1fr; }
      .code li { display: flex; gap: .6rem; align-items: baseline; }
      dl > div { grid-template-columns: 1fr; }
      .card, .code, .verdict { padding: .8rem .9rem; }
    }
    @page { size: A4; margin: 16mm 15mm; }
    @media print {
      body { font-size: 10.5pt; }
      main { max-width: none; padding: 0; }
      .wide { overflow: visible; }
      .card { break-inside: auto; }
      .command { white-space: pre-wrap; }
      h2, h3, summary { break-after: avoid; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }

    """
}
