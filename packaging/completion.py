"""Completion for bash from option tables (strads/program/option_facts.hpp): commands, options, the values of choices, files.
The functions need nothing but bash 4; the tarball's are sourced by hand, those of a package are found by bash-completion."""

# What an option's placeholder says about its value.
FILES = {"FILE", "PATH", "K|FILE", "LIST|FILE"}
FOLDERS = {"DIR"}
# PREFIX: a set of files, named without the ending of one of them.
PREFIXES = {"bfile": ".bed", "pfile": ".pgen"}

WITH_PATHS = ("strads-report", "strads-experiment")  # words of these that are no options are folders and files

FRAME = """\
# Completion of {program} for bash. Written by packaging/completion.py from the program's own option table.
_strads_complete_{function}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} option= kept= key= at options= commands=
  local kind= words= reply
  COMPREPLY=()
{launch}  # Bash takes --name=value apart where = is among COMP_WORDBREAKS.
  if [[ $current == --*=* ]]; then
    option=${{current%%=*}} kept=${{current%%=*}}= current=${{current#*=}}
  elif [[ $current == "=" ]]; then
    option=$before current=
  elif [[ $before == "=" ]]; then
    option=${{COMP_WORDS[COMP_CWORD-2]}}
  elif [[ $before == --* ]]; then
    option=$before
  fi
  for ((at = 1; at < COMP_CWORD; ++at)); do
    [[ ${{COMP_WORDS[at]}} == [a-z]* ]] || break
    key+=${{key:+ }}${{COMP_WORDS[at]}}
  done
{turns}  case $key in
{cases}  esac
  case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
    files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    prefix)
      mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X "!*$words" -- "$current" |
        while IFS= read -r reply; do printf '%s\\n' "${{reply%"$words"}}"; done) ;;
    nothing) ;;
    *)
      if [[ $current == -* || -z $commands ]]; then words=$options; else words=$commands; fi
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
  esac
  if [[ $kind == files || $kind == folders || $kind == prefix ]]; then
    compopt -o filenames 2>/dev/null
  fi
  if [[ -n $kept ]]; then COMPREPLY=("${{COMPREPLY[@]/#/$kept}}"); fi
}}
complete {more}-F _strads_complete_{function} {program}
"""
# What stands behind -- is a command line of its own.
LAUNCH = """\
  for ((at = 1; at < COMP_CWORD; ++at)); do
    [[ ${COMP_WORDS[at]} == -- ]] || continue
    if declare -F _command_offset >/dev/null; then _command_offset $((at + 1)); fi
    return
  done
"""


def value_case(option):
    """(kind, words) of what may follow the option; None: nothing does."""
    if option["kind"] == "flag" or option["implied"]:
        return None
    if option["kind"] == "on_off":
        return "words", "on off"
    if option["choices"]:
        return "words", " ".join(option["choices"])
    if option["name"] in PREFIXES:
        return "prefix", PREFIXES[option["name"]]
    if option["placeholder"] in FILES:
        return "files", ""
    if option["placeholder"] in FOLDERS:
        return "folders", ""
    return "nothing", ""


def cases_of_options(options):
    by_value = {}
    for option in options:
        value = value_case(option)
        if value is not None:
            by_value.setdefault(value, []).append(f"--{option['name']}")
    for (kind, words), names in by_value.items():
        yield f"        {' | '.join(names)}) kind={kind}" + (f" words=\"{words}\"" if words else "") + " ;;\n"


def case_of_key(pattern, options, commands):
    names = " ".join(f"--{option['name']}" for option in options)
    lines = f"    {pattern})\n      options=\"{names}\" commands=\"{' '.join(commands)}\"\n"
    inner = "".join(cases_of_options(options))
    return lines + (f"      case $option in\n{inner}      esac\n" if inner else "") + "      ;;\n"


def turns_of(keys):
    """Lines for commands to which an option gives another table, "path --sumstats": wherever it stands on the line."""
    lines = ""
    for key in keys:
        command, option = key.partition(" --")[::2]
        if option:
            words = f"\" ${{COMP_WORDS[*]}} \" == *\" --{option}\"[\\ =]*"
            lines += f"  if [[ $key == \"{command}\" && {words} ]]; then key=\"{key}\"; fi\n"
    return lines


def completion(program, tables):
    """The completion of one program, whose commands are those of its tables."""
    by_key = {table["command"].partition(" ")[2]: table["options"] for table in tables}
    by_key.setdefault("", [{"name": name, "kind": "flag", "implied": ""} for name in ("help", "version", "verbose")])
    cases = ""
    for key, options in by_key.items():
        begin = key + " " if key else ""
        after = {other[len(begin):].split()[0] for other in by_key if other.startswith(begin) and other != key}
        commands = sorted(word for word in after if not word.startswith("--"))
        # commands: the words that may come next. A program without any may have other words before its options.
        cases += case_of_key("*" if list(by_key) == [""] else f"\"{key}\"", options, commands)
    return FRAME.format(program=program, function=program.replace("-", "_"), cases=cases, turns=turns_of(by_key),
                        launch=LAUNCH if program == "strads-launch" else "",
                        more="-o default " if program in WITH_PATHS else "")


def completions(tables):
    """{file name: text} for all programs, under the names by which bash-completion looks for them."""
    programs = {}
    for table in tables:
        programs.setdefault(table["command"].split()[0], []).append(table)
    return {program: completion(program, own) for program, own in programs.items()}
