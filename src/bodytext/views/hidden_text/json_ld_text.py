"""linked_text: the JSON-LD objects of a page -> the body text they carry, as markup, and which field it came from."""

from collections.abc import Iterable, Iterator
from typing import Any

from bodytext.page.json_ld import is_text, of_type, types_of, walk
from bodytext.views.hidden_text.prose import count_words, is_prose, to_markup

# Types that have a whole text, with the fields it may stand in; of several fields the longest counts.
_TEXTS = {
    name.lower(): fields.split()
    for names, fields in {
        "Article NewsArticle BlogPosting ReportageNewsArticle AnalysisNewsArticle OpinionNewsArticle LiveBlogPosting"
        " TechArticle ScholarlyArticle MedicalWebPage AdvertiserContentArticle SatiricalArticle Report":
            "articleBody text",
        "SocialMediaPosting DiscussionForumPosting Comment Answer Question": "articleBody text",
        "WebPage CreativeWork": "articleBody text mainContentOfPage",
        "Product ProductGroup IndividualProduct SoftwareApplication MobileApplication JobPosting Event Course Book"
        " Movie TVSeries Recipe HowTo LodgingBusiness Hotel Service Vehicle Car Accommodation Apartment House":
            "description",
    }.items()
    for name in names.split()
}  # fmt: skip
# Whose name is a heading of the text that follows.
_NAMED = frozenset({"question", "howtosection", "howtostep"})
_STEPS = ("recipeIngredient", "recipeInstructions", "step")


def linked_text(objects: Iterable[dict[str, Any]]) -> tuple[str, str]:
    """The markup of the best texts of a kind, and the field it came from; two empty strings where there is none.

    The field with the most words wins: an article's body before the description of a book in it. All texts in that
    field are taken in their order, so that a question comes with its answers and a post with its comments.
    """
    found: dict[str, dict[str, str]] = {}
    for one in of_type(objects, *_TEXTS):
        for field, text in _fields(one):
            markup = _heading(one) + to_markup(text) + "".join(_steps(one))
            found.setdefault(field, {}).setdefault(text, markup)  # the same text twice is one
    sizes = {field: sum(map(count_words, texts)) for field, texts in found.items() if any(map(is_prose, texts))}
    if not sizes:
        return "", ""
    best = max(sizes, key=lambda field: sizes[field])
    return "".join(found[best].values()), best


def _fields(one: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The longest text of an object, under the name of the field that its first type would have it in."""
    fields = [field for name in types_of(one) for field in _TEXTS.get(name.lower(), [])]
    texts = [(field, one[field]) for field in dict.fromkeys(fields) if is_text(one.get(field))]
    if texts:
        field, text = max(texts, key=lambda pair: len(pair[1]))
        yield field, text


def _heading(one: dict[str, Any]) -> str:
    name = one.get("name")
    named = not _NAMED.isdisjoint(map(str.lower, types_of(one)))
    return to_markup(name).replace("<p>", "<h2>", 1).replace("</p>", "</h2>", 1) if named and is_text(name) else ""


def _steps(one: dict[str, Any]) -> Iterator[str]:
    """What goes into a recipe or a how-to, and its steps, as items."""
    for key in _STEPS:
        value = one.get(key)
        parts = value if isinstance(value, list) else [value]
        items = [text for part in parts for text in _step_texts(part)]
        if items:
            yield "<ul>" + "".join(f"<li>{to_markup(text)}</li>" for text in items) + "</ul>"


def _step_texts(part: Any) -> Iterator[str]:
    if is_text(part):
        yield part
    for one in walk(part):
        text = one.get("text") if is_text(one.get("text")) else one.get("name")
        if is_text(text) and types_of(one) != ["ImageObject"]:
            yield text
