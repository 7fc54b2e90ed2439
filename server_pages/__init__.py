"""The pages under `docs/servers` and the picture of the README, made from what the code and the recordings say.

`python -m server_pages` writes them; `python -m server_pages --check` says which are not as they would be written.
"""
