"""`python -m doc_pages` writes the pages; `--check` says which are not as they would be written."""

from __future__ import annotations as _annotations

import sys

from .facts import ROOT
from .pages import all_pages
from .picture import picture
from .reference import reference_pages


def main(*, check: bool) -> None:
    """Write the files, or check them."""
    files = {ROOT / 'docs/servers' / name: text for name, text in all_pages().items()}
    files |= {ROOT / 'docs/reference' / name: text for name, text in reference_pages().items()}
    files[ROOT / 'docs/forms.svg'] = picture()
    stale = [path for path, text in files.items() if not path.exists() or path.read_text('utf-8') != text]
    if check and stale:
        sys.exit(f'`python -m doc_pages` would change {", ".join(path.name for path in stale)}')
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(files[path], 'utf-8')


if __name__ == '__main__':
    main(check='--check' in sys.argv[1:])
