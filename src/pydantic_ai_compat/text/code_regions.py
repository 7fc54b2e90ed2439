"""Where a text is code: fenced blocks and inline code, in which nothing is a call, a thought or an event."""

from __future__ import annotations as _annotations

__all__ = ('CodeRegions',)

LONGEST_RUN = 64
"""The longest run of backticks or tildes that is looked at as one."""


class CodeRegions:
    """Follows a text line by line.

    A fence begins with three backticks or tildes at the start of a line, and ends with a line of at least as many of
    them. Inline code ends with as many backticks as it began with, or with its line.
    <https://spec.commonmark.org/0.31.2/#fenced-code-blocks>
    """

    def __init__(self) -> None:
        self.line_start = True
        """Whether nothing but blanks has come since the line began."""
        self._fence = ''
        self._on_first_line = False
        self._inline = ''

    @property
    def in_code(self) -> bool:
        """Whether what comes next is code."""
        return bool(self._fence or self._inline)

    @property
    def in_fence(self) -> bool:
        """Whether what comes next is in a fenced block."""
        return bool(self._fence)

    def pass_text(self, text: str) -> None:
        """Take text without a run that counts."""
        last_line = text.rfind('\n') + 1
        if last_line:
            self._inline = ''
            self._on_first_line = False
            self.line_start = not text[last_line:].strip(' \t')
        elif self.line_start:
            self.line_start = not text.strip(' \t')

    def pass_run(self, run: str, *, closes_line: bool) -> None:
        """Take a run of backticks or tildes.

        Args:
            run: The run.
            closes_line: Whether nothing but blanks follows on its line.
        """
        if self._fence:
            if self._on_first_line:
                # A fence of backticks has none behind it on its line: it was inline code.
                if run[0] == '`' and self._fence == run:
                    self._fence = ''
            elif self.line_start and closes_line and run.startswith(self._fence):
                self._fence = ''
        elif self._inline:
            if run == self._inline:
                self._inline = ''
        elif self.line_start and len(run) >= 3:
            self._fence = run
            self._on_first_line = True
        elif run[0] == '`':
            self._inline = run
        self.line_start = False
