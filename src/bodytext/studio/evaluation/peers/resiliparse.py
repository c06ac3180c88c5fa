"""Run resiliparse for the main content as plain text."""

DISTRIBUTION = "resiliparse"


def _run(page: bytes) -> str:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    return str(extract_plain_text(bytes_to_str(page, detect_encoding(page)), main_content=True))


SYSTEMS = {"resiliparse": _run}
