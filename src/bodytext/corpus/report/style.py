"""The stylesheet of the report: light or dark like the reader's system, one column on a phone, two on a desktop."""

STYLE = """
:root{color-scheme:light dark;--paper:#f6f7f9;--card:#fff;--ink:#1a2230;--soft:#5b6675;--line:#e3e7ec;--track:#edf0f3;
--kept:#0f7b72;--dropped:#c9821b;--failed:#c23b3b}
@media (prefers-color-scheme:dark){:root{--paper:#10151c;--card:#181f29;--ink:#e6eaf0;--soft:#9aa6b5;--line:#29323f;
--track:#232c38;--kept:#37b6a8;--dropped:#dfa24a;--failed:#e46f6f}}
*{box-sizing:border-box}
body{margin:0 auto;padding:28px 20px 40px;max-width:1120px;background:var(--paper);color:var(--ink);
font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
h1{margin:0 0 18px;font-size:26px;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:0 0 2px;font-size:16px;font-weight:650}
svg{display:block;width:100%;overflow:visible}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:12px;margin-bottom:18px}
.cards div,section{background:var(--card);border:1px solid var(--line);border-radius:10px}
.cards div{padding:12px 16px}
.cards b{display:block;font-size:24px;font-weight:650;letter-spacing:-.01em}
.cards span,.lead,.legend span,.note,footer{color:var(--soft)}
.stack{border-radius:6px;overflow:hidden;background:var(--track)}
.legend{display:flex;flex-wrap:wrap;gap:4px 24px;margin:10px 0 24px;padding:0;list-style:none}
.legend i{display:inline-block;width:10px;height:10px;margin-right:8px;border-radius:3px}
i.kept{background:var(--kept)}i.dropped{background:var(--dropped)}i.failed{background:var(--failed)}
main{columns:2;column-gap:16px}
section{break-inside:avoid;margin:0 0 16px;padding:18px 20px 20px}
.lead{margin:0 0 14px;font-size:13.5px}
h2+.bars{margin-top:12px}
.bars{display:grid;gap:10px;margin:0;padding:0;list-style:none}
.bars li{display:grid;grid-template-columns:1fr auto 4em;column-gap:12px;align-items:baseline}
.bars .name{overflow-wrap:anywhere}
.bars .note{font-size:13px;text-align:right;white-space:nowrap}
.more{margin:12px 0 0}
.bars svg{grid-column:1/-1;margin-top:3px}
rect.kept{fill:var(--kept)}rect.dropped{fill:var(--dropped)}rect.failed{fill:var(--failed)}
rect.track{fill:var(--track)}
.columns text{fill:var(--soft);font-size:12px}
.columns rect:hover{opacity:.75}
line.axis{stroke:var(--soft)}line.grid{stroke:var(--line)}
footer{margin-top:8px;font-size:13.5px}
summary{cursor:pointer}
table{margin:10px 0;border-collapse:collapse}
th,td{padding:3px 18px 3px 0;text-align:left;font-weight:400;vertical-align:top;overflow-wrap:anywhere}
td{color:var(--ink)}
@media (max-width:760px){main{columns:1}body{padding:20px 14px 32px}h1{font-size:22px}
.cards{grid-template-columns:repeat(auto-fit,minmax(94px,1fr));gap:8px}.cards div{padding:10px 12px}
.cards b{font-size:19px}.cards span{font-size:13px}}
@media print{body{background:#fff;max-width:none}}
"""
