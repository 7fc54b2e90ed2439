"""The picture: cost against length, on logarithmic axes, as SVG."""

from __future__ import annotations as _annotations

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

Curve = Sequence[tuple[int, float]]

_WIDTH, _HEIGHT = 460, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 36, 48
_COLOURS = {
    'ours': '#0b6e4f',
    'stock': '#c1121f',
    'openai': '#6c757d',
    'langchain-openai': '#3a6ea5',
    'litellm': '#b07d2b',
}


def picture(plots: Mapping[str, Mapping[str, Curve]]) -> str:
    """Plots side by side.

    Args:
        plots: By the name of the x-axis, then by subject: points of a count and milliseconds of CPU time.
    """
    panels = [
        f'<g transform="translate({number * _WIDTH} 0)">{_panel(name, curves)}</g>'
        for number, (name, curves) in enumerate(plots.items())
    ]
    width = _WIDTH * len(panels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" font-family="sans-serif" font-size="11">'
        f'<rect width="{width}" height="{_HEIGHT}" fill="white"/>{"".join(panels)}</svg>\n'
    )


def _panel(name: str, curves: Mapping[str, Curve]) -> str:
    points = [point for curve in curves.values() for point in curve]
    x_decades = _decades([count for count, _ in points])
    y_decades = _decades([cost for _, cost in points])

    def x(count: float) -> float:
        return _LEFT + _share(count, x_decades) * (_WIDTH - _LEFT - _RIGHT)

    def y(cost: float) -> float:
        return _HEIGHT - _BOTTOM - _share(cost, y_decades) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [f'<text x="{_LEFT}" y="18" font-size="13">CPU time against {escape(name)}</text>']
    for decade in range(x_decades[0], x_decades[1] + 1):
        at = f'{x(10.0**decade):.1f}'
        parts.append(f'<path d="M{at} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#e0e0e0"/>')
        parts.append(f'<text x="{at}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{10**decade:,}</text>')
    for decade in range(y_decades[0], y_decades[1] + 1):
        at = f'{y(10.0**decade):.1f}'
        parts.append(f'<path d="M{_LEFT} {at}H{_WIDTH - _RIGHT}" stroke="#e0e0e0"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{at}" text-anchor="end" dy="4">{10.0**decade:g} ms</text>')
    parts.append(f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 10}" text-anchor="end">{escape(name)}</text>')
    for number, (subject, curve) in enumerate(curves.items()):
        colour = _COLOURS.get(subject, '#000000')
        line = ' '.join(f'{x(count):.1f},{y(cost):.1f}' for count, cost in curve)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.extend(
            f'<circle cx="{x(count):.1f}" cy="{y(cost):.1f}" r="2.5" fill="{colour}"/>' for count, cost in curve
        )
        parts.append(f'<text x="{_LEFT + 8}" y="{_TOP + 14 + number * 14}" fill="{colour}">{escape(subject)}</text>')
    return ''.join(parts)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def _share(value: float, decades: tuple[int, int]) -> float:
    first, last = decades
    return (math.log10(value) - first) / max(last - first, 1)
