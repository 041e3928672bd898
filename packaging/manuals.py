"""Manual pages, man(7), from option tables (strads/program/option_facts.hpp): one for each program, one for each of its
commands. What the exit codes mean comes from the table of README.md."""
import re
import textwrap

from sbom import created

# What no option table says: the programs that have commands.
TITLES = {"lasso": "fits the Lasso, elastic net, logistic and Poisson regression with an L1 penalty to data with very many variables",
          "mf": "factorizes matrices of ratings: fits, predicts, recommends, evaluates",
          "lda": "fits topic models to documents, infers topics of unseen ones, measures them",
          "svm": "fits linear support vector machines of two and more classes: fits, chooses the cost, predicts"}
NOT_IN_A_SECTION = "Command line only"
EXIT_ROW = re.compile(r"^\| (\d+) \| (.*) \|$", re.MULTILINE)


def roff(text):
    """Text as it is: no character of it means something to troff. A dash is typed as it is shown."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\`").replace("'", "\\(aq").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti").replace('"', "\\(dq")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def filled(text):
    return textwrap.fill(" ".join(text.split()), 76, break_long_words=False, break_on_hyphens=False)


def plain(markdown):
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown).replace("`", "")


def page_name(command):
    return command.replace(" ", "-")


def title_and_synopsis(table):
    """The lines above "usage:", without the command's name, and those of the usage."""
    before, _, usage = table["usage"].partition("usage:")
    title = " ".join(before.split()).removeprefix(table["command"]).removeprefix(":").strip()
    return title, [line.strip() for line in usage.splitlines() if line.strip()]


def value_of(option):
    if option["kind"] in ("choice", "on_off"):
        return option["range"]
    return option["placeholder"]


def option_lines(option):
    value = value_of(option)
    head = f"\\fB\\-\\-{roff(option['name'])}\\fR"
    if option["implied"]:
        head += f"[=\\fI{roff(value)}\\fR]"
    elif value:
        head += f" \\fI{roff(value)}\\fR"
    facts = [f"in {option['unit']}"] if option["unit"] else []
    if option["range"] and option["kind"] not in ("choice", "on_off"):
        facts.append(option["range"])
    if option["default"]:
        facts.append(f"default {option['default']}")
    if option["implied"]:
        facts.append(f"{option['implied']} when no value is given")
    effect = option["effect"] + (f" ({'; '.join(facts)})" if facts else "")
    return [".TP", head, *roff(filled(effect)).splitlines()]


def options_by_section(table):
    sections = {}
    for option in table["options"]:
        sections.setdefault(option["section"], []).append(option)
    sections[""] = sections.pop("", [])  # options of the command line alone come last, as in --help-all
    lines = [".SH OPTIONS"]
    for section, options in sections.items():
        if options and len(sections) > 1:
            lines.append(f".SS {roff(section or NOT_IN_A_SECTION)}")
        for option in options:
            lines += option_lines(option)
    return lines


def paragraphs(text):
    """Prose as paragraphs; lines that are indented stay as they are."""
    lines = []
    for block in text.strip("\n").split("\n\n"):
        if block.startswith("    "):
            lines += [".PP", ".nf", *roff(block).splitlines(), ".fi"]
        else:
            lines += [".PP", *roff(filled(block)).splitlines()]
    return lines[1:]  # none before the first


def synopsis(lines):
    return [".SH SYNOPSIS", ".nf", *(f"\\fB{roff(line)}\\fR" for line in lines), ".fi"]


def exit_status(readme):
    rows = EXIT_ROW.findall(readme[readme.index("## Exit codes"):])
    assert rows, "README.md has a table of exit codes"
    lines = [".SH EXIT STATUS"]
    for code, meaning in rows:
        lines += [".TP", f"\\fB{code}\\fR", *roff(filled(plain(meaning))).splitlines()]
    return lines


def see_also(names):
    return [".SH SEE ALSO", ",\n".join(f"\\fB{roff(name)}\\fR(1)" for name in names)]


def page(name, version, title, body):
    day = created()[:len("2026-01-01")]
    header = f".TH {roff(name.upper())} 1 {day} \"strads {version}\" \"STRADS\""
    return "\n".join([header, ".SH NAME", f"{roff(name)} \\- {roff(title)}", *body]) + "\n"


def command_page(table, version, readme, related):
    title, usage = title_and_synopsis(table)
    body = synopsis(usage)
    if "text" in table:
        body += [".SH DESCRIPTION", *paragraphs(table["text"])]
    elif any(option["section"] for option in table["options"]):
        body += [".SH DESCRIPTION", *paragraphs(
            "An option is given as --name VALUE or --name=VALUE, or in a file (--config FILE) as a line name = VALUE, "
            "below the line [section] of its section here.")]
    body += options_by_section(table)
    # Those of scripts/ say themselves what their codes are, docs/SIMULATION.md what those of the simulator are.
    if table["command"].split()[0] in ("lasso", "mf", "lda", "svm", "stradsd"):
        body += exit_status(readme)
    return page(page_name(table["command"]), version, title, body + see_also(related))


def program_page(program, tables, version, readme, related):
    """Of a program that does nothing without a command."""
    body = synopsis([f"{program} COMMAND [options]", f"{program} COMMAND --help | --help-all",
                     f"{program} --version [--verbose]"])
    body.append(".SH COMMANDS")
    for table in tables:
        words = table["command"].partition(" ")[2]
        body += [".TP", f"\\fB{roff(words)}\\fR", f"{roff(title_and_synopsis(table)[0])};",
                 f"see \\fB{roff(page_name(table['command']))}\\fR(1)."]
    return page(program, version, TITLES[program], body + exit_status(readme) + see_also(related))


def manual_pages(tables, version, readme):
    """{file name: page} for all tables, whose commands begin with the name of their program."""
    programs = {}
    for table in tables:
        programs.setdefault(table["command"].split()[0], []).append(table)
    pages = {}
    for program, own in programs.items():
        others = [name for name in programs if name != program]
        names = [page_name(table["command"]) for table in own]
        if program not in names:
            pages[f"{program}.1"] = program_page(program, own, version, readme, names + others)
        for table in own:
            name = page_name(table["command"])
            related = [other for other in dict.fromkeys([program, *names]) if other != name] + others
            pages[f"{name}.1"] = command_page(table, version, readme, related)
    return pages
