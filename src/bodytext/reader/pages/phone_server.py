"""Serve the Fever API to phones: fewer connections at a time than the pages, and the same limits of time."""

import asyncio

import uvicorn

from bodytext.reader.pages.fever import create_fever
from bodytext.reader.store.store import Store
from bodytext.studio.web.connection import Connection
from bodytext.studio.web.server import configure

# The pages have up to 900 connections, and a process usually opens at most 1,024 files: a network
# must not take those of the pages and of the database.
MOST_PHONES = 64


class PhoneConnection(Connection):
    """A connection of a phone."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request; the slowest one gives way if there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST_PHONES and not self._drop_slowest():
            transport.close()


def configure_phones(store: Store) -> uvicorn.Config:
    """Configure a server of the Fever API."""
    config = configure(create_fever(store))
    config.http = PhoneConnection
    config.backlog = MOST_PHONES  # so many are accepted at once
    return config
