"""Measure the word F1 with and without site templates, and write results/templates.md.

The sites are real and made ones. The weights in the package have seen the real pages, so the figures of
`learned` are too good there. `--train FOLDER` trains networks that have not seen a page's site
(torch; a minute and a half on a GPU, half an hour on two cores), and `--folds FOLDER` uses them.
Templates are made without labels.
"""

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from bodytext import Page, parse, select
from bodytext.corpus.templates import method as templated
from bodytext.corpus.templates.method import Templated
from bodytext.corpus.templates.observations import OBSERVATION, observe, sample_all
from bodytext.corpus.templates.site_templates import Template, Templates, merge
from bodytext.methods import Method, as_method
from bodytext.methods.learned.method import Learned
from bodytext.studio.evaluation.metrics import compare_words
from bodytext.studio.labels.labelled_set import digest_of, domain_of, fold_of, read_labelled
from made_sites import make_sites

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
SETS = ("wcxb-dev", "news-multilingual")
FOLDS = 5  # as many as training has
NOTABLE = 0.02  # F1; a page that changes by more is counted as up or down
FALLS, RISES = (1.0, 2.0, 4.0, 6.0), (0.0, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class Case:
    """A page with its body text."""

    page: Page
    reference: str
    site: str
    group: str  # the row of the table
    unseen: str  # the weights of a network that has not seen the site, if there are any


def read_cases(name: str, folds: Path | None) -> tuple[list[Case], str]:
    """The pages of a labelled set whose registered domain has another page in it, and a digest of them."""
    sources = [source for source in read_labelled(DATA / name) if source.reference is not None]
    by_site = defaultdict(list)
    for source in sources:
        by_site[source.domain].append(source)
    chosen = [source for source in sources if len(by_site[source.domain]) > 1]
    cases = []
    for source in chosen:
        page = parse(source.read(), url=source.url)
        weights = ""
        if folds is not None:
            weights = str(
                folds
                / (f"fold-{fold_of(source.domain, FOLDS)}.npz" if name == SETS[0] else "main.npz")
            )
        pages = len(by_site[source.domain])
        cases.append(Case(page, source.reference or "", source.domain, name_group(pages), weights))
    return cases, digest_of(chosen)


def name_group(pages: int) -> str:
    """Name the row of the table for a site by its number of pages."""
    if pages == 2:
        return "2 pages"
    return "3 to 4 pages" if pages < 5 else "5 pages or more"


def build(cases: Sequence[Case], folder: Path) -> Templates:
    """Make the templates of all sites. Hosts of one domain count as one site: each has few pages."""
    path = folder / "observations"
    parts = list(
        sample_all(observe(replace(case.page, url=f"http://{case.site}/")) for case in cases)
    )
    np.concatenate((np.zeros(0, OBSERVATION), *parts)).tofile(path)
    merge([path], folder / "work", folder / "templates")
    return DomainTemplates(folder / "templates")


class DomainTemplates(Templates):
    """Templates by registered domain."""

    def of(self, url: str) -> Template | None:
        """The template of the address's domain."""
        return super().of(f"http://{domain_of(url)}/")


def score(case: Case, method: Method) -> float:
    """The word F1 of a method's answer."""
    return compare_words(str(select(case.page, method.score(case.page))), case.reference).f1


Choose = Callable[[Case], Method]
Scores = npt.NDArray[np.float64]


def choose_unseen(case: Case) -> Method:
    """The learned method with weights that have not seen the case's site."""
    return Learned(case.unseen)


def choices(folds: Path | None) -> dict[str, Choose]:
    """The methods that are measured."""
    found: dict[str, Choose] = {}
    if folds is not None:
        found["learned, networks that had not seen the site"] = choose_unseen
    found["learned"] = lambda _: as_method("learned")
    found["cuter"] = lambda _: as_method("cuter")
    return found


NOTES = f"""
Word F1, paired by page, intervals by resampling sites; down and up are pages that change by more than {NOTABLE}.
Templates are made from the pages themselves, without labels. The weights in the package have seen the real pages.
"""
HEADER = "| | pages | without | with | difference | 95 % | down | up | worst |\n|---|---|---|---|---|---|---|---|---|"


def write_row(name: str, sites: Sequence[str], before: Scores, after: Scores) -> str:
    """A line of a table."""
    change = after - before
    low, high = interval_by_site(sites, change)
    return (
        f"| {name} | {len(change)} | {np.mean(before):.4f} | {np.mean(after):.4f} | {change.mean():+.4f} "
        f"| {low:+.4f} to {high:+.4f} | {(change < -NOTABLE).sum()} | {(change > NOTABLE).sum()} "
        f"| {change.min():+.2f} |"
    )


def interval_by_site(
    sites: Sequence[str], change: Scores, samples: int = 2_000
) -> tuple[float, float]:
    """The 95 % interval of the mean by resampling sites: pages of one site rise and fall together."""
    names, which = np.unique(sites, return_inverse=True)
    sums, counts = np.bincount(which, change), np.bincount(which)
    drawn = np.random.default_rng(0).integers(0, len(names), (samples, len(names)))
    low, high = np.percentile(sums[drawn].sum(1) / counts[drawn].sum(1), (2.5, 97.5))
    return float(low), float(high)


def write_comparison(
    cases: Sequence[Case], templates: Templates, choices: dict[str, Choose]
) -> Iterator[str]:
    """Each method with and without templates, over all pages and by group."""
    sites = np.array([case.site for case in cases])
    groups = np.array([case.group for case in cases])
    parts = {"all": np.ones(len(cases), np.bool_)}
    parts["with a reference that is not empty"] = np.array(
        [bool(case.reference.strip()) for case in cases]
    )
    parts |= {group: groups == group for group in sorted(set(groups.tolist()))}
    for name, choose in choices.items():
        before = np.array([score(case, choose(case)) for case in cases])
        after = np.array([score(case, Templated(choose(case), templates)) for case in cases])
        yield f"\n**{name}**\n\n{HEADER}"
        for part, here in parts.items():
            if part == "all" or not here.all():
                yield write_row(part, sites[here].tolist(), before[here], after[here])
        print(name, before.mean(), after.mean(), flush=True)


def write_sweep(cases: Sequence[Case], templates: Templates, choose: Choose) -> Iterator[str]:
    """Differences for other strengths, also on the half of the sites that they were not chosen on."""
    before = np.array([score(case, choose(case)) for case in cases])
    half = np.array([fold_of(case.site, 2) for case in cases])
    spoken = np.array([bool(case.reference.strip()) for case in cases])
    kept, changes = (templated.FALL, templated.RISE), {}
    for fall in FALLS:
        for rise in RISES:
            templated.FALL, templated.RISE = fall, rise
            after = np.array([score(case, Templated(choose(case), templates)) for case in cases])
            changes[fall, rise] = np.where(spoken, after - before, 0)
    templated.FALL, templated.RISE = kept
    yield (
        "\n| fall | "
        + " | ".join(f"rise {rise:g}" for rise in RISES)
        + " |\n|---|"
        + "---|" * len(RISES)
    )
    for fall in FALLS:
        yield (
            f"| {fall:g} | "
            + " | ".join(f"{changes[fall, rise].mean():+.4f}" for rise in RISES)
            + " |"
        )
    halves = []
    for number in (0, 1):
        means = {key: float(change[half == number].mean()) for key, change in changes.items()}
        best = max(means, key=means.__getitem__)
        halves.append(f"{best[0]:g} and {best[1]:g}, {changes[best][half != number].mean():+.4f}")
    yield f"\nChosen on one half of the sites and measured on the other: {halves[0]}; the other way round {halves[1]}."


def write_cost(cases: Sequence[Case], templates: Templates) -> Iterator[str]:
    """Processor time, with that of the method."""
    pages = [case.page for case in cases][:400]
    method, with_templates = as_method("learned"), Templated(as_method("learned"), templates)
    works: dict[str, Callable[[Page], object]] = {
        "parse": lambda page: parse(page.source, url=page.url),
        "survey (without the parse)": observe,
        "learned": method.score,
        "learned with templates": with_templates.score,
    }
    yield "| | ms a page |\n|---|---|"
    for name, work in works.items():
        best = min(measure(work, pages) for _ in range(3))
        yield f"| {name} | {1000 * best / len(pages):.2f} |"


def measure(work: Callable[[Page], object], pages: Sequence[Page]) -> float:
    """Seconds of processor time."""
    started = time.process_time()
    for page in pages:
        work(page)
    return time.process_time() - started


def write_real(folds: Path | None) -> Iterator[str]:
    """The part on real sites."""
    for name in SETS:
        if not (DATA / name).is_dir():
            continue
        cases, digest = read_cases(name, folds)
        with TemporaryDirectory() as folder:
            templates = build(cases, Path(folder))
            yield f"\n## {name}\n\n{len(cases)} pages of {len(templates)} sites with several pages, data {digest}."
            yield from write_comparison(cases, templates, choices(folds))
            if name == SETS[0]:
                first = next(iter(choices(folds)))
                yield f"\n### Strengths\n\nThe difference for other strengths ({first}; an empty reference counts as unchanged):"
                yield from write_sweep(cases, templates, choices(folds)[first])
                yield "\n### Cost\n"
                yield from write_cost(cases, templates)


def write_made(limit: int) -> Iterator[str]:
    """The part on made sites."""
    cases = [
        Case(parse(made.html, url=made.url), made.text, made.site, group, "")
        for made in make_sites(limit)
        for group in (made.layout,)
    ]
    sizes = {case.site: 0 for case in cases}
    for case in cases:
        sizes[case.site] += 1
    with TemporaryDirectory() as folder:
        templates = build(cases, Path(folder))
        yield f"\n## Made sites\n\n{len(cases)} pages of {len(templates)} sites, by the layout of the site."
        yield from write_comparison(cases, templates, choices(None))
        yield "\nThe same by the number of pages of a site:"
        sized = [replace(case, group=f"{sizes[case.site]:02} pages") for case in cases]
        yield from write_comparison(sized, templates, {"learned": lambda _: as_method("learned")})


def train_folds(folder: Path) -> None:
    """Train networks that have not seen a fold of wcxb-dev, and one that has seen only wcxb-dev."""
    from bodytext.studio.training.batches import Recipe
    from bodytext.studio.training.learned_training import MAIN, TrainingOptions, train
    from bodytext.studio.training.training_pages import read_training_pages

    folder.mkdir(parents=True, exist_ok=True)
    sets = [DATA / name for name in SETS]
    done = train(read_training_pages(sets), Recipe(), 0, print, TrainingOptions(also=(sets[1],)))
    for fold, arrays in done.folds.items():
        with (folder / ("main.npz" if fold == MAIN else f"fold-{fold}.npz")).open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def main() -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--train",
        type=Path,
        metavar="FOLDER",
        help="only train the networks that --folds reads",
    )
    parser.add_argument(
        "--folds", type=Path, metavar="FOLDER", help="networks that have not seen a page's site"
    )
    parser.add_argument("--made", type=int, default=1_000, help="made sites, at most")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "templates.md")
    arguments = parser.parse_args()
    if arguments.train:
        train_folds(arguments.train)
        return
    folds = " --folds FOLDER" if arguments.folds else ""
    lines = [
        f"# Site templates\n\nMade by `python benchmarks/templates.py{folds}` on {datetime.now(UTC):%Y-%m-%d}.",
        NOTES,
        *write_real(arguments.folds),
        *write_made(arguments.made),
    ]
    arguments.output.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
