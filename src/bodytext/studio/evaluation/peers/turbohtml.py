"""Run turbohtml for the main content as text."""

DISTRIBUTION = "turbohtml"


def _run(page: bytes) -> str:
    import turbohtml

    content = turbohtml.parse(page).main_content()
    return content.to_text() if content is not None else ""


SYSTEMS = {"turbohtml": _run}
