"""Check that the conda recipe agrees with the package, and that it can be rendered.

Run: python packaging/check_recipe.py      (with py-rattler-build to render; needs pyyaml)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECIPE = ROOT / "recipe" / "recipe.yaml"
TEMPLATE = re.compile(r"\$\{\{.*\}\}")


def declared() -> dict[str, Any]:
    """Return the facts of pyproject.toml and ugt/_base/version.py, read with patterns, because Python 3.9 has no TOML."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = (ROOT / "ugt" / "_base" / "version.py").read_text(encoding="utf-8")

    def field(pattern: str, text: str = project) -> str:
        found = re.search(pattern, text, re.MULTILINE)
        if not found:
            raise SystemExit(f"nothing fits {pattern}")
        return found[1]

    return {
        "version": field(r'^__version__ = "(.+)"$', version),
        "run": re.findall(r'"(.+?)"', field(r"^dependencies = \[(.+)\]$")),
        "host": re.findall(r'"(.+?)"', field(r"^requires = \[(.+)\]$")),
        "python_min": field(r'^requires-python = ">=(.+)"$'),
        "summary": field(r'^description = "(.+)"$'),
        "license": field(r'^license = "(.+)"$'),
        "entry_points": ["ugt = " + field(r'^ugt = "(.+)"$')],
    }


def named(requirements: list[str]) -> set[str]:
    """Return requirements without spaces, Python and pip, which conda must name and pip must not."""
    plain = {one.replace(" ", "") for one in requirements if not TEMPLATE.search(one)}
    return {one for one in plain if re.split(r"[<>=]", one)[0] not in ("python", "pip")}


def faults(recipe: dict[str, Any], package: dict[str, Any]) -> Iterator[str]:
    """Return the differences between the recipe and the package."""
    context, needs, about = recipe["context"], recipe["requirements"], recipe["about"]
    pairs = {
        "version": (context["version"], package["version"]),
        "python_min": (context["python_min"], package["python_min"]),
        "run": (named(needs["run"]), named(package["run"])),
        "host": (named(needs["host"]), named(package["host"])),
        "summary": (about["summary"], package["summary"]),
        "license": (about["license"], package["license"]),
        "entry_points": (recipe["build"]["python"]["entry_points"], package["entry_points"]),
        "schema_version": (recipe["schema_version"], 1),
        "UGT_ABI3": (recipe["build"]["script"]["env"]["UGT_ABI3"], "0"),
    }
    yield from (f"{name}: {one} in the recipe, {other} in the package" for name, (one, other) in pairs.items() if one != other)
    if "numpy" in {re.split(r"[ <>=]", one)[0] for one in needs["host"]}:
        yield "numpy in host: the core has no use for its headers"


def main() -> None:
    """Run the command line."""
    import yaml  # noqa: PLC0415 (the tests use faults() without yaml)

    problems = [*faults(yaml.safe_load(RECIPE.read_text(encoding="utf-8")), declared())]
    if problems:
        raise SystemExit("recipe/recipe.yaml\n  " + "\n  ".join(problems))
    print("recipe/recipe.yaml: parsed; version, requirements, licence and command are those of the package")
    try:
        import rattler_build  # noqa: PLC0415
    except ImportError:
        print("py-rattler-build is not here: not rendered")
        return
    print(render(rattler_build))


def render(rattler: Any) -> str:
    """Render the recipe by py-rattler-build for the oldest and the newest Python, on Linux, macOS and Windows."""
    variants = {"python": ["3.9.*", "3.13.*"], "c_compiler": ["gcc"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]}
    lines = []
    for platform in ("linux-64", "linux-aarch64", "osx-64", "osx-arm64", "win-64", "win-arm64"):
        config = rattler.RenderConfig(platform=rattler.PlatformConfig(target_platform=platform))
        rendered = rattler.Stage0Recipe.from_file(RECIPE).render(rattler.VariantConfig(variants), config)
        names = [f"{one.recipe.package.name} {one.recipe.package.version} ({one.recipe.build.string})" for one in rendered]
        if len(names) != len(variants["python"]):
            raise SystemExit(f"{platform}: {len(names)} variants were rendered, not one per Python: {names}")
        lines.append(f"rendered for {platform}: {', '.join(names)}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
