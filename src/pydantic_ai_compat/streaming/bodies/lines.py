"""Bytes as lines, however they were cut on their way."""

from __future__ import annotations as _annotations

__all__ = ('LineSplitter',)


class LineSplitter:
    r"""Splits a body at `\n`, `\r\n` and `\r`; each byte is copied a bounded number of times."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._after_return = False

    def feed(self, block: bytes) -> list[bytes]:
        """The lines that end in this block, without their ends."""
        if self._after_return and block:
            self._after_return = False
            if block[0] == 10:
                block = block[1:]
        if not block:
            return []
        # Of bytes, unlike of text, it splits at these three ends only.
        lines = block.splitlines()
        last = block[-1]
        self._after_return = last == 13
        unfinished = None if last in (10, 13) else lines.pop()
        if lines and self._pieces:
            lines[0] = b''.join((*self._pieces, lines[0]))
            self._pieces.clear()
        if unfinished is not None:
            self._pieces.append(unfinished)
        return lines

    def finish(self) -> list[bytes]:
        """The last line, if it has no end."""
        lines = [b''.join(self._pieces)] if self._pieces else []
        self._pieces.clear()
        return lines
