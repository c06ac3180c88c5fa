"""Describe the service in OpenAPI 3.1."""

from typing import Any

import bodytext
from bodytext.methods import DEFAULT, METHODS
from bodytext.methods.scores import BOUNDARY, PRESETS
from bodytext.output.formats import FORMATS
from bodytext.output.references import CHOICES
from bodytext.studio.service.service_limits import MIB, ServiceLimits

# The status of each error, and what it means.
ERRORS = {
    400: "the request is invalid or its body is broken; the error says how",
    401: "the key is missing or wrong",
    403: "a page of another site sent the request, or the address must not be fetched",
    408: "the body arrived too slowly",
    413: "the page is too large, as sent or unpacked, or needs too much memory",
    415: "the page is no HTML, or the content type or coding is not accepted",
    421: "the Host is not a name of this service",
    500: "two workers died over the page; other requests are not affected",
    502: "the address could not be fetched; the error says why",
    503: "too many requests at the same time: try again after the seconds in Retry-After",
    504: "the page, or fetching it, took too long",
}


def describe(limits: ServiceLimits, *, fetching: bool, has_key: bool = False) -> dict[str, Any]:
    """Return the description of a service with these limits."""
    schemas = {"Error": _ERROR, "Request": _REQUEST, "Document": _DOCUMENT}
    description = {
        "openapi": "3.1.0",
        "info": {
            "title": "bodytext",
            "version": bodytext.__version__,
            "summary": "Finds the body text of any web page.",
            "description": _describe_limits(limits, fetching=fetching),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": _describe_paths(fetching=fetching),
        "components": {"schemas": schemas},
    }
    if has_key:
        scheme = {"type": "http", "scheme": "bearer"}
        description["components"] = {"schemas": schemas, "securitySchemes": {"key": scheme}}
        description["security"] = [{"key": []}]
    return description


def _describe_limits(limits: ServiceLimits, *, fetching: bool) -> str:
    addresses = "This service fetches no addresses: send the page."
    if fetching:
        addresses = f"Addresses are fetched within {limits.fetch_seconds:g} s; private and local ones are refused."
    return (
        f"Pages of up to {limits.page_bytes / MIB:g} MB, {limits.seconds:g} s each, "
        f"{limits.requests} requests at once. {addresses} "
        "Every error is a JSON object whose `error` says what went wrong and what to do."
    )


def _describe_paths(*, fetching: bool) -> dict[str, Any]:
    options = [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in _OPTIONS.items()
    ]
    error = _content("application/json", {"$ref": "#/components/schemas/Error"})
    errors = {
        str(status): {"description": meaning, "content": error}
        for status, meaning in ERRORS.items()
        if fetching or status != 502
    }
    lines = _content("application/x-ndjson", {"type": "string"})
    batch = "A line for each: the document, or an object with `status`, `error` and the number of its `line`"
    health = _content("application/json", _HEALTH)
    metrics = _content("text/plain", {"type": "string"})
    extract_address = {
        "operationId": "extract_address",
        "summary": "The body text of the page at an address",
        "description": "The page is fetched from `url`.",
        "parameters": [option | {"required": option["name"] == "url"} for option in options],
        "responses": {"200": _EXTRACTED, **errors},
    }
    extract = {
        "operationId": "extract",
        "summary": "The body text of a page",
        "description": "The page is the body, or `html` in a JSON object, or fetched from its `url`.",
        "parameters": options,
        "requestBody": {
            "required": True,
            "content": _content("text/html", {"type": "string", "contentMediaType": "text/html"})
            | _content("application/json", {"$ref": "#/components/schemas/Request"}),
        },
        "responses": {"200": _EXTRACTED, **errors},
    }
    extract_batch = {
        "operationId": "batch",
        "summary": "The body texts of many pages",
        "description": "Each line is a JSON object as /extract takes it; the answers are in order.",
        "parameters": options,
        "requestBody": {"required": True, "content": lines},
        "responses": {"200": {"description": batch, "content": lines}, **errors},
    }
    show_health = {
        "operationId": "health",
        "summary": "Whether the service can answer requests",
        "responses": {
            "200": {"description": "It can", "content": health},
            "503": {"description": "There is no worker; one is being started", "content": health},
        },
    }
    show_metrics = {
        "operationId": "metrics",
        "summary": "Counts since the service started, in Prometheus' text format",
        "responses": {"200": {"description": "The metrics", "content": metrics}},
    }
    return {
        "/extract": {"get": extract_address, "post": extract},
        "/batch": {"post": extract_batch},
        "/health": {"get": show_health},
        "/metrics": {"get": show_metrics},
    }


def _content(kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {kind: {"schema": schema}}


_OPTIONS: dict[str, dict[str, Any]] = {
    "format": {
        "type": "string",
        "enum": list(FORMATS),
        "default": "json",
        "description": "; ".join(f"{name}: {FORMATS[name].description}" for name in FORMATS),
    },
    "method": {
        "type": "string",
        "default": DEFAULT,
        "description": f"{', '.join(METHODS)}; parameters follow a colon, as in spread:stop=8",
    },
    "threshold": {
        "anyOf": [
            {"type": "number", "minimum": 0, "maximum": 1},
            {"type": "string", "enum": list(PRESETS)},
        ],
        "default": BOUNDARY,
        "description": "0 keeps the most, 1 the least",
    },
    "links": {"type": "string", "enum": list(CHOICES), "default": "keep"},
    "images": {"type": "string", "enum": list(CHOICES), "default": "keep"},
    "url": {
        "type": "string",
        "default": "",
        "description": "where the page is from; fetched by GET, and if a JSON object has no html",
    },
}
_EXTRACTED = {
    "description": "The document; Bodytext-Reason says why it is empty, if it is",
    "headers": {
        f"Bodytext-{name}": {"description": meaning, "schema": {"type": kind}}
        for name, kind, meaning in (
            ("Reason", "string", "why the text is empty or doubtful"),
            ("Page-Type", "string", "article, forum ..., if known"),
            ("Confidence", "number", "the expected F1, if known"),
        )
    },
    "content": {
        FORMATS[name].media_type: {
            "schema": {"$ref": "#/components/schemas/Document"}
            if name == "json"
            else {"type": "string"}
        }
        for name in FORMATS
    },
}
_HEALTH = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["ok", "failing"]},
        **{name: {"type": "integer"} for name in ("workers", "idle", "in_flight")},
    },
}
_REQUEST = {
    "type": "object",
    "description": "A page or an address, and the options, which may also be in the query",
    "anyOf": [{"required": ["html"]}, {"required": ["url"]}],
    "properties": {"html": {"type": "string", "description": "the page"}, **_OPTIONS},
    "additionalProperties": False,
    "examples": [
        {"url": "https://example.org/", "format": "markdown"},
        {"html": "<p>Some words.</p>"},
    ],
}
_ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string", "description": "what went wrong, and what to do"}},
    "required": ["error"],
}
_DOCUMENT = {
    "type": "object",
    "description": "docs/formats.md describes all keys",
    "properties": {
        "version": {"type": "integer"},
        "url": {"type": "string"},
        "title": {"type": "string"},
        "reason": {"type": "string", "description": "why the text is empty or doubtful"},
        "page_type": {"type": "string"},
        "confidence": {"type": ["number", "null"]},
        "metadata": {"type": "object"},
        "text": {"type": "string"},
        "markdown": {"type": "string"},
        "canonical_url": {"type": "string", "description": "what the page calls its address"},
        "paragraphs": {"type": "array", "items": {"type": "object"}},
        "structure": {"type": "object"},
        "media": {"type": "array", "items": {"type": "object"}},
        "comments": {"type": "array", "items": {"type": "object"}},
    },
    "required": ["version", "text", "reason"],
}
