"""Chat templates: what the model sees of a conversation, and which options fit (extra `[templates]`)."""

from __future__ import annotations as _annotations

from ._jinja import require_jinja

require_jinja()

from .abilities import Abilities, Outcome
from .budget import RenderLimits
from .deliveries import Arrival, Delivery
from .finder import abilities
from .formats import ContentFormats, content_formats
from .list_forms import Choice
from .recommend import Recommendation, recommend
from .servers import SERVER_NAMES, SERVERS, HandedOver, Server, hand_over, server_named, server_view
from .template import ChatTemplate
from .wire_turns import ServerPrompts, shown_list_forms

__all__ = (
    'SERVERS',
    'SERVER_NAMES',
    'Abilities',
    'Arrival',
    'ChatTemplate',
    'Choice',
    'ContentFormats',
    'Delivery',
    'HandedOver',
    'Outcome',
    'Recommendation',
    'RenderLimits',
    'Server',
    'ServerPrompts',
    'abilities',
    'content_formats',
    'hand_over',
    'recommend',
    'server_named',
    'server_view',
    'shown_list_forms',
)
