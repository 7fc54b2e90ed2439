"""A page or a text that a server or a gateway sent in place of an answer, in one line."""

from __future__ import annotations as _annotations

import html
import re
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

__all__ = ('PAGE_SIZE', 'Origin', 'is_page', 'page_title')

PAGE_SIZE = 2**16
"""How many bytes of a page are read for its title."""

_PAGE = re.compile(r'\s*<(?:!doctype|html|head|body|title|h1|center|\?xml|!--)', re.IGNORECASE)
_TITLES = tuple(re.compile(rf'<{tag}\b[^>]*>(.*?)(?:</{tag}|$)', re.IGNORECASE | re.DOTALL) for tag in ('title', 'h1'))
_TAG = re.compile(r'<[^>]*>')
_VERSION = re.compile(r'/v\d')
_SHOWN = 200


def is_page(text: str) -> bool:
    """Whether a text begins as HTML or XML does."""
    return _PAGE.match(text) is not None


def page_title(page: str) -> str:
    """The title of a page, or its first heading, in one line; empty if it has neither."""
    for pattern in _TITLES:
        if found := pattern.search(page[:PAGE_SIZE]):
            words = html.unescape(_TAG.sub(' ', found[1])).split()
            # A page is foreign: its control characters stay out of messages, and so out of terminals.
            if title := ''.join(character for character in ' '.join(words) if character.isprintable())[:_SHOWN]:
                return title
    return ''


class Origin(NamedTuple):
    """Where a body came from, as far as that is known; for error messages."""

    status: int | None = None
    url: str | None = None
    """The address that was called."""

    @property
    def address(self) -> str:
        """The address without user, password and query, each of which may be or hide a key."""
        parts = urlsplit(self.url or '')
        return urlunsplit((parts.scheme, parts.netloc.rpartition('@')[2], parts.path, '', ''))

    def describe_page(self, page: str) -> str:
        """What came, for an error: the status, the title and the address, and where to look for the mistake.

        Neither the page nor what else it holds, such as the address of the client.
        <https://github.com/earendil-works/pi/issues/6673>
        """
        title = f' titled {title!r}' if (title := page_title(page)) else ''
        return f'The server answered{self._whence} with a web page{title} in place of an answer.{self._advice()}'

    def describe_text(self, text: str) -> str:
        """What came, for an error, where it is neither JSON, nor events, nor a page."""
        if not text.strip():
            return f'The server answered{self._whence} with an empty body.'
        shown = repr(text) if len(text) <= _SHOWN else f'{text[:_SHOWN]!r}…'
        return f'The server answered{self._whence} with text in place of an answer: {shown}.'

    @property
    def _whence(self) -> str:
        return ('' if self.status is None else f' with HTTP {self.status}') + (
            f' from {self.address}' if self.url else ''
        )

    def _advice(self) -> str:
        if self.status is not None and self.status >= 500:
            return ''
        # A gateway serves its web app under every address that is not its API's.
        # https://github.com/NousResearch/hermes-agent/issues/90595
        if self.url and _VERSION.search(self.address):
            return ' Check the path of `base_url`.'
        return ' Check whether `base_url` must end in `/v1`.'
