"""The pages under `docs/servers` and `docs/reference` and the picture of the README, from the code and the recordings.

`python -m doc_pages` writes them; `python -m doc_pages --check` says which are not as they would be written.
"""
