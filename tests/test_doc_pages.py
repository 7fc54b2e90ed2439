"""The pages under `docs/servers` and `docs/reference`, and the picture, are what the code and the recordings give."""

from __future__ import annotations as _annotations

from xml.etree import ElementTree

from doc_pages.__main__ import main
from doc_pages.pages import all_pages
from doc_pages.picture import picture
from doc_pages.servers import PAGES


def test_the_pages_are_what_the_code_gives() -> None:
    main(check=True)


def test_every_server_of_the_list_has_a_page_that_says_where_its_facts_are_from() -> None:
    assert len(all_pages()) == len(PAGES) + 1
    for page in PAGES:
        text = all_pages()[f'{page.name}.md']
        assert f'Seen on: {page.seen}.' in text
        assert f'name: {page.name}' not in text
        assert ('## What works' in text) is bool(page.recording)
        assert all(len(line.split(' | ')) == 3 for line in text.splitlines() if line.startswith('| '))


def test_the_picture_is_xml_and_shows_both_items_in_every_form() -> None:
    root = ElementTree.fromstring(picture())
    marks = [span.get('class') for span in root.iter('{http://www.w3.org/2000/svg}tspan')]
    assert (marks.count('name'), marks.count('item'), marks.count('escaped')) == (4, 6, 2)
