"""The options of scripts/strads-launch in the form of those of the other programs (strads/program/option_facts.hpp)."""
import importlib.machinery
import importlib.util


def launch_table(path):
    loader = importlib.machinery.SourceFileLoader("strads_launch", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("strads_launch", loader))
    loader.exec_module(module)
    title, _, text = module.__doc__.partition("\n\n")
    usage, _, text = text.partition("\n\n")
    options = []
    for action in module.make_parser()._actions:  # pylint: disable=protected-access
        options.append({"name": action.option_strings[-1].removeprefix("--"), "placeholder": action.metavar or "",
                        "effect": (action.help or "").replace("%%", "%"), "section": "", "unit": "", "range": "",
                        "kind": "text" if action.metavar else "flag", "choices": [], "default": "", "implied": ""})
    return {"command": "strads-launch", "usage": f"strads-launch: {title}\nusage: {usage.strip()}\n", "text": text,
            "options": options}
