"""How the page looks, by day and by night. It names no file: the page stands alone."""

COLOURS = ("#2f6fdb", "#c2571a", "#2c8a4b", "#9a4fc4", "#b08900", "#c23b6a")
"""Of retrievers, in the order in which they come up."""

STEP_COLOURS = {
    "debounce": "#b8b8b8",
    "wait": "#8f9bb0",
    "retrieve": "#2c8a4b",
    "pack": "#b08900",
    "evaluate": "#2f6fdb",
    "generate": "#9a4fc4",
    "other": "#909090",
    "reused": "#2c8a4b",
    "evaluated": "#2f6fdb",
    "generated": "#9a4fc4",
}
"""Of the parts of bars."""

STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8881; --dim: #666; --good: #1d6b36; --bad: #a33; }
@media (prefers-color-scheme: dark) { :root { --dim: #aaa; --good: #7fd39a; --bad: #ff9a90; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
a { color: inherit; }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 3px solid #2f6fdb; }
nav ol { padding-left: 1.6rem; } nav li { padding: .1rem 0; overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.25rem; margin: 1.2rem 0; }
.reason { font-weight: 600; color: var(--bad); } .reason.shown { color: var(--good); }
.facts, .legend { color: var(--dim); margin: .2rem 0; }
.legend span { white-space: nowrap; margin-right: 1rem; }
.legend i { display: inline-block; width: .8em; height: .8em; border-radius: .2em; margin-right: .35em; }
.bar { display: flex; height: 1.1rem; border-radius: .3rem; overflow: hidden; background: var(--soft);
  margin: .4rem 0; }
.bar span { flex: 1 0 2px; min-width: 2px; border-right: 1px solid Canvas; }
pre { margin: .3rem 0; padding: .6rem .8rem; overflow: auto; max-height: 32rem; background: var(--soft);
  border-radius: .4rem; font: 13px/1.45 ui-monospace, monospace; tab-size: 4; unicode-bidi: plaintext; }
table { border-collapse: collapse; width: 100%; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .15rem .9rem .15rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 500; } td.number, th.number { text-align: right;
  font-variant-numeric: tabular-nums; }
tr.out { color: var(--dim); }
summary { cursor: pointer; padding: .15rem 0; }
mark { color: inherit; background: color-mix(in srgb, var(--colour, #888) 18%, transparent);
  border-left: 3px solid var(--colour, #888); padding-left: .3rem; display: block; }
mark::before { content: attr(data-label); display: block; font-size: .85em; color: var(--dim); }
mark.round-0 { border-left-style: dotted; } mark.round-2, mark.round-3 { border-left-style: double;
  border-left-width: 6px; }
@media print { pre { max-height: none; } }
"""
