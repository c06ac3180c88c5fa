"""Find the body text in the JSON-LD objects of a page."""

from collections.abc import Iterable, Iterator
from typing import Any

from bodytext.page.json_ld import is_text, of_type, types_of, walk
from bodytext.views.hidden_text.prose import count_words, is_prose, to_markup

# Types with a whole text, and the fields that may have it; of several fields the longest counts.
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
# Types whose name is a heading of the text after it.
_NAMED = frozenset({"question", "howtosection", "howtostep"})
_STEPS = ("recipeIngredient", "recipeInstructions", "step")


def json_ld_text(objects: Iterable[dict[str, Any]]) -> tuple[str, str]:
    """The body text in JSON-LD objects as markup, and the field that had it; or two empty strings.

    The field with the most words wins: an article's body before the description of a book in it.
    All texts in that field count, in their order, so that a question comes with its answers and a
    post with its comments.
    """
    markups: dict[str, dict[str, str]] = {}  # by field and by text: the same text twice counts once
    taken: set[int] = set()
    for item in of_type(objects, *_TEXTS):
        for field, text in _longest_text(item):
            texts = markups.setdefault(field, {})
            if text not in texts:
                texts[text] = _heading(item) + to_markup(text) + "".join(_steps(item, taken))
    prose = {field: texts for field, texts in markups.items() if any(map(is_prose, texts))}
    words = {field: sum(map(count_words, texts)) for field, texts in prose.items()}
    if not words:
        return "", ""
    best = max(words, key=lambda field: words[field])
    return "".join(markups[best].values()), best


def _longest_text(item: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The longest text of an object, with the field that has it."""
    fields = [field for name in types_of(item) for field in _TEXTS.get(name.lower(), [])]
    texts = [(field, item[field]) for field in dict.fromkeys(fields) if is_text(item.get(field))]
    if texts:
        yield max(texts, key=lambda pair: len(pair[1]))


def _heading(item: dict[str, Any]) -> str:
    name = item.get("name")
    if not is_text(name) or _NAMED.isdisjoint(map(str.lower, types_of(item))):
        return ""
    return to_markup(name).replace("<p>", "<h2>", 1).replace("</p>", "</h2>", 1)


def _steps(item: dict[str, Any], taken: set[int]) -> Iterator[str]:
    """The ingredients and the steps of a recipe or a how-to, as lists.

    Steps that an outer how-to has taken are not repeated; `taken` has the numbers of their objects.
    """
    for key in _STEPS:
        value = item.get(key)
        parts = value if isinstance(value, list) else [value]
        items = [text for part in parts for text in _step_texts(part, taken)]
        if items:
            yield "<ul>" + "".join(f"<li>{to_markup(text)}</li>" for text in items) + "</ul>"


def _step_texts(part: Any, taken: set[int]) -> Iterator[str]:
    if is_text(part):
        yield part
    for step in walk(part):
        if id(step) in taken:
            return  # with all that is in the part
        taken.add(id(step))
        text = step.get("text")
        if not is_text(text):
            text = step.get("name")
        if is_text(text) and types_of(step) != ["ImageObject"]:
            yield text
