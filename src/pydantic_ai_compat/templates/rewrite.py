"""The guards that a parsed template gets before it is compiled.

Each guard is a filter put around a part of the template, so that the compiled code pays where it can grow and runs as
jinja2 compiled it elsewhere: a constant, a comparison with one, or a short sum that is printed at once has none.
"""

from __future__ import annotations as _annotations

from typing import cast

from jinja2 import Environment, nodes
from jinja2.visitor import NodeTransformer

from .budget import current_budget

__all__ = ('FILTERS_OF_TEXT', 'FILTERS_OF_VALUES', 'UNGUARDED', 'add_guards')

FILTERS_OF_TEXT = frozenset(['capitalize', 'e', 'escape', 'forceescape', 'lower', 'string', 'tojson', 'trim', 'upper'])
"""Filters that, without arguments, give about as much text as they are given."""

FILTERS_OF_VALUES = frozenset(['attr', 'count', 'd', 'default', 'first', 'items', 'last', 'length'])
"""Filters that take the same time for any value."""

UNGUARDED = '_unguarded_'
"""Before the name of a filter: jinja2's own function, where a guard around its input is enough."""

_NODES_PER_STEP = 16
"""Nodes of a body that run in about the time of one step."""

_LONG_LITERAL = 64

_LONG_SUM = 8
"""Operands that are added before the sum is checked; it is at most this many times longer than its longest operand."""


def add_guards(tree: nodes.Template) -> nodes.Template:
    """Put guards into a template's tree, and note in the current budget what a call of each macro costs."""
    budget = current_budget()
    budget.template_cost = _cost(tree)
    for macro in tree.find_all(nodes.Macro):
        # Two macros of one name: the dearer one counts.
        budget.macro_costs[macro.name] = max(_cost(macro), budget.macro_costs.get(macro.name, 0))
    guarded = cast(nodes.Template, _Guards().visit(tree))
    guarded.set_environment(cast(Environment, tree.environment))
    return guarded


def _cost(node: nodes.Node) -> int:
    return 1 + sum(1 for _ in node.find_all(nodes.Node)) // _NODES_PER_STEP


def _filtered(node: nodes.Expr, name: str, *arguments: nodes.Expr) -> nodes.Expr:
    return nodes.Filter(node, name, list(arguments), [], None, None, lineno=node.lineno)


def _is_text(node: nodes.Expr) -> bool:
    """Whether the expression gives a string, or raises."""
    if isinstance(node, nodes.Const):
        return isinstance(node.value, str)
    if isinstance(node, nodes.Add):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, nodes.Filter):
        return node.name.removeprefix(UNGUARDED) in FILTERS_OF_TEXT
    return isinstance(node, nodes.Concat)


class _Guards(NodeTransformer):
    def visit_Output(self, node: nodes.Output) -> nodes.Node:
        node.nodes = [self._printed(child) for child in node.nodes]
        return node

    def _printed(self, node: nodes.Expr) -> nodes.Expr:
        if isinstance(node, nodes.TemplateData):
            return node
        # What is printed is joined and counted there, so a sum needs no check of its own.
        guarded = self._sum(node)[0] if isinstance(node, nodes.Add) else cast(nodes.Expr, self.visit(node))
        return guarded if _is_text(guarded) else _filtered(guarded, '_printed')

    def visit_Add(self, node: nodes.Add) -> nodes.Node:
        return _filtered(self._sum(node)[0], '_grown')

    visit_Sub = visit_Add

    def _sum(self, node: nodes.Expr) -> tuple[nodes.Expr, int]:
        """The sum with its operands guarded, and the number of operands since the last check."""
        if not isinstance(node, (nodes.Add, nodes.Sub)):
            return cast(nodes.Expr, self.visit(node)), 1
        (node.left, left), (node.right, right) = self._sum(node.left), self._sum(node.right)
        if left + right > _LONG_SUM:
            node.left, node.right = _filtered(node.left, '_grown'), _filtered(node.right, '_grown')
            left = right = 1
        return node, left + right

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:
        self.generic_visit(node)
        if node.node is None or not self._is_plain(node):
            return node
        if node.name in FILTERS_OF_VALUES:
            node.name = UNGUARDED + node.name
        elif node.name in FILTERS_OF_TEXT and not node.args and not node.kwargs:
            node.name = UNGUARDED + node.name
            node.node = _filtered(node.node, '_as_text')
        return node

    def _is_plain(self, node: nodes.Filter) -> bool:
        return node.dyn_args is None and node.dyn_kwargs is None

    def visit_For(self, node: nodes.For) -> nodes.Node:
        cost = nodes.Const(_cost(node))
        self.generic_visit(node)
        node.iter = _filtered(cast(nodes.Expr, node.iter), '_iterated', cost)
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self.generic_visit(node)
        operands = [node.expr, *(operand.expr for operand in node.ops)]
        if all(operand.op in ('in', 'notin') for operand in node.ops):
            # Even a constant is looked for in all of a text or a list.
            node.expr = node.expr if isinstance(node.expr, nodes.Const) else _filtered(node.expr, '_compared')
            for operand in node.ops:
                if not isinstance(operand.expr, nodes.Const):
                    operand.expr = _filtered(operand.expr, '_searched')
            return node
        # Comparing with a constant, such as `message.role == 'user'`, looks no deeper than the constant goes.
        if sum(not isinstance(operand, nodes.Const) for operand in operands) > 1:
            node.expr = _filtered(node.expr, '_compared')
            for operand in node.ops:
                operand.expr = _filtered(operand.expr, '_compared')
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        self.generic_visit(node)
        if isinstance(node.arg, nodes.Slice):
            return _filtered(node, '_copied')
        if not isinstance(node.arg, nodes.Const):
            node.arg = _filtered(node.arg, '_compared')
        return node

    def visit_Pair(self, node: nodes.Pair) -> nodes.Node:
        self.generic_visit(node)
        node.key = node.key if isinstance(node.key, nodes.Const) else _filtered(node.key, '_compared')
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        node.nodes = [child if isinstance(child, nodes.Const) else _filtered(child, '_as_text') for child in node.nodes]
        return node

    def visit_List(self, node: nodes.List) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, '_copied') if len(node.items) > _LONG_LITERAL else node

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, '_copied') if node.ctx == 'load' and len(node.items) > _LONG_LITERAL else node

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, '_copied') if len(node.items) > _LONG_LITERAL else node
