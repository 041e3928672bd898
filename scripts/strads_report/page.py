"""The report as one HTML file: no script, nothing from elsewhere, charts as SVG whose text is text."""
import html
import re
import xml.etree.ElementTree as ElementTree

from strads_report import tables
from strads_report.charts import Gantt

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the browser itself fetches nothing
STYLE = """
body { margin: 0 auto; max-width: 72rem; padding: 0 1rem 2rem; font: 16px/1.45 sans-serif; color: #111; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #bbb; }
.wide { overflow-x: auto; } h1, code { overflow-wrap: anywhere; } li { margin: 0.2rem 0; }
table { border-collapse: collapse; font-size: 0.875rem; } caption { text-align: left; padding: 0.3rem 0; }
th, td { border: 1px solid #bbb; padding: 0.2rem 0.5rem; text-align: left; vertical-align: top; }
td { font-variant-numeric: tabular-nums; } thead th { background: #eee; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: 1.5rem; }
figure { margin: 0; max-width: 34rem; min-width: 0; break-inside: avoid; }
@media (min-width: 48rem) { figure.broad { grid-column: span 2; max-width: 48rem; } }
figure svg { display: block; width: 100%; height: auto; }
svg * { stroke-linejoin: round; stroke-linecap: butt; }
figcaption { font-size: 0.875rem; color: #333; }
@media print { body { max-width: none; font-size: 11px; } thead th { background: none; } }
"""


def escape(text):
    return html.escape(str(text), quote=True)


def inline_svg(drawn, prefix, title):
    """matplotlib's SVG for a page: names that occur once in the page, no metadata, no style that reaches beyond it."""
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(drawn)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            if name == "id":
                element.set("id", f"{prefix}-{value}")
            elif name == f"{{{XLINK}}}href":
                del element.attrib[name]
                element.set("href", value.replace("#", f"#{prefix}-", 1))
            else:
                element.set(name, value.replace("url(#", f"url(#{prefix}-"))
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", title)
    return re.sub(r"\s*\n\s*", "\n", ElementTree.tostring(root, encoding="unicode"))


def _figure(chart, drawn):
    broad = ' class="broad"' if isinstance(chart, Gantt) else ""
    return (f'<figure id="{chart.name}"{broad}>\n{inline_svg(drawn, chart.name, chart.title)}\n'
            f"<figcaption>{escape(chart.text)}</figcaption>\n</figure>\n")


def _head(names, first):
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    return f'<thead><tr><th scope="col">{first}</th>{columns}</tr></thead>\n'


def _value(value):
    text = escape(tables.shown(value))
    return text if value is None else f'<data value="{escape(tables.exact(value))}">{text}</data>'


def _table(name, caption, head, rows):
    lines = [f'<tr><th scope="row">{label}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>\n' for label, cells in rows]
    return (f'<div class="wide"><table id="{name}">\n<caption>{escape(caption)}</caption>\n{head}<tbody>\n'
            f"{''.join(lines)}</tbody>\n</table></div>\n")


def _names(runs):
    return [run.name for run in runs]


def _results(runs):
    rows = [(f"<code>{escape(name)}</code>{f' ({escape(unit)})' if unit else ''}", [_value(value) for value in values])
            for name, unit, values in tables.results(runs)]
    return _table("results", "As summary.json has them, rounded to 7 digits.", _head(_names(runs), "figure"), rows)


def _option_rows(rows):
    return [(f"<code>{escape(name)}</code> [{escape(section)}]", [escape(tables.shown(value)) for value in values])
            for section, name, values in rows]


def _options(runs):
    different, same = tables.options(runs)
    text = ""
    if different:
        text += _table("options", "From config.ini.", _head(_names(runs), "option"), _option_rows(different))
    elif len(runs) > 1:
        text += "<p>The options of these runs are the same.</p>\n"
    if same:
        head = _head(_names(runs) if len(runs) == 1 else ["all runs"], "option")
        table = _table("options-same", "From config.ini.", head, _option_rows([(*row[:2], row[2][:1]) for row in same]))
        what = "All options" if len(runs) == 1 else "Options that are the same"
        text += f"<details>\n<summary>{what}</summary>\n{table}</details>\n"
    return text


def page(runs, charts, drawn, missing):
    """`drawn`: the SVG of each chart, in order; `missing`: lines on what these runs do not have."""
    title = f"STRADS: {', '.join(run.name for run in runs)}"
    figures = "".join(_figure(chart, svg) for chart, svg in zip(charts, drawn))
    listed = "".join(f"<li>{escape(line)}</li>\n" for line in missing)
    folders = "".join(f"<li><code>{escape(run.name)}</code>: {escape(run.program)}, {escape(run.folder)}; ended by: "
                      f"{escape(tables.shown(run.fact('stop_reason')))}</li>\n" for run in runs)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<ul>
{folders}</ul>
<h2>Results</h2>
{_results(runs)}<h2>Options{' that differ' if len(runs) > 1 else ''}</h2>
{_options(runs)}<h2>Charts</h2>
<div class="charts">
{figures}</div>
<h2>What these runs do not have</h2>
<ul>
{listed}</ul>
</body>
</html>
"""
