"""The options of the programs in scripts/ in the form of those of the other programs (strads/program/option_facts.hpp)."""
import importlib.machinery
import importlib.util
import sys


def script_table(command, path):
    """Of a Python file with make_parser() and a docstring of a title, usage and text."""
    loader = importlib.machinery.SourceFileLoader(command.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    title, _, text = module.__doc__.partition("\n\n")
    title = title.removeprefix(command).strip()
    usage, _, text = text.partition("\n\n")
    options = []
    for action in module.make_parser()._actions:  # pylint: disable=protected-access
        if not action.option_strings:
            continue
        options.append({"name": action.option_strings[-1].removeprefix("--"), "placeholder": action.metavar or "",
                        "effect": (action.help or "").replace("%%", "%"), "section": "", "unit": "", "range": "",
                        "kind": "text" if action.metavar else "flag", "choices": [], "default": "", "implied": ""})
    return {"command": command, "usage": f"{command}: {title}\nusage: {usage.strip()}\n", "text": text, "options": options}


def launch_table(path):
    return script_table("strads-launch", path)


def package_table(command, path):
    """Of the command.py of a package whose modules find each other in scripts/."""
    sys.path.insert(0, str(path.parent.parent))
    return script_table(command, path)
