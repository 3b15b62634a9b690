"""Names of episodes and snapshots: unguessable, and held by the session that plays.

A *player* is the originator of an episode: the socket `REPLICA.SOCKET`, or a session by its id. It holds the name while
its replica reports that it is alive, or while the session is in use. An episode begun over plain HTTP has no player and
holds its name until it is over.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from companyos.cells.names import named_in

from ..protocol.agent_tokens import agent_digest, new_agent_token, repeatable_agent_token
from ..protocol.problems import Refusal

#: How long a session with an id counts as playing after its last use.
PLAYING_S = 600.0

#: Whether the player of the episode `e` is still there; the heartbeat of a new one may not be visible yet.
_PLAYS = f"""(
    (e.player <> '' AND e.used_at > clock_timestamp() - interval '5 seconds')
    OR EXISTS (SELECT 1 FROM orchestrator.replicas r
        WHERE r.id = split_part(e.player, '.', 1) AND r.alive_until > clock_timestamp())
    OR EXISTS (SELECT 1 FROM orchestrator.sessions s WHERE s.id = e.player AND (s.held_until > clock_timestamp()
        OR s.used_at > clock_timestamp() - interval '{PLAYING_S} seconds')))"""  # noqa: S608

#: Whether `player` may begin an episode in place of the episode `e`. A repeated reset, whose agent's token is the same,
#: may until the first step: later it is one that was late, and must not end what was played since.
FREE = f"""
CASE WHEN e.agent = %(agent)s THEN e.step = e.begun AND e.claim_action IS NULL AND NOT e.done
ELSE (%(replace)s OR e.done OR coalesce(e.player = %(player)s::text, false) OR (e.player IS NOT NULL AND NOT {_PLAYS}))
END
"""

TAKEN = f"SELECT 1 FROM orchestrator.episodes e WHERE id = %(id)s AND NOT {FREE}"  # noqa: S608

#: Tells an episode from every other one of its name, earlier or later: each has an agent's token of its own.
UID_LENGTH = 16
UID = f"left(agent, {UID_LENGTH})"
#: Whether an episode is the one that is meant. None may be named, and the oldest episodes have no token.
MEANT = f"coalesce({UID} = %(uid)s::text, true)"

#: Gives a socket the name of an episode that it continues; plain HTTP and a session with an id keep what they began.
HOLD = f"""
UPDATE orchestrator.episodes e SET player = %(player)s WHERE id = %(id)s AND {MEANT} AND NOT done
AND player IS NOT NULL AND NOT EXISTS (SELECT 1 FROM orchestrator.sessions s WHERE s.id = e.player)
"""  # noqa: S608

#: Passes the name of an episode on to the id that its player got.
RENAME = """
UPDATE orchestrator.episodes SET player = %(now)s WHERE id = %(id)s AND player = %(player)s
"""

#: Releases the name of an episode that continues without its player.
RELEASE = """
UPDATE orchestrator.episodes SET player = '' WHERE id = %(id)s AND player = %(player)s AND NOT done
"""


@dataclass(frozen=True)
class Name:
    """The requested name of an episode, and who requests it.

    Attributes:
        id: The episode's id.
        player: The socket or session that will play it; None for a plain request.
        replace: Whether it may replace an episode that is being played.
        agent_token: The token of its agent.
    """

    id: str
    player: str | None
    replace: bool
    agent_token: str = field(repr=False)

    @property
    def uid(self) -> str:
        """What tells the episode from every other one of its name."""
        return agent_digest(self.agent_token)[:UID_LENGTH]

    @property
    def values(self) -> dict[str, Any]:
        """The name as parameters of the statements."""
        return {
            "id": self.id,
            "player": self.player,
            "replace": self.replace,
            "agent": agent_digest(self.agent_token),
        }


@dataclass(frozen=True)
class Names:
    """Makes the names of a cell; none is a database sequence, which could repeat a number after a crash.

    Attributes:
        cell: The cell's own name, which those that it makes begin with.
        secret: What keeps the tokens of repeated resets from being computed elsewhere.
    """

    cell: str
    secret: str = field(repr=False)

    def episode(
        self,
        chosen: str | None = None,
        player: str | None = None,
        *,
        replace: bool = False,
        key: str | None = None,
    ) -> Name:
        """Return the name of a new episode, under the id that a trainer chose or a new one.

        Args:
            chosen: The id that the trainer chose.
            player: The socket or session that will play it.
            replace: Whether it may replace an episode that is being played.
            key: What a repeated reset has in common with the first.
        """
        episode_id = chosen or named_in(self.cell, f"ep-{secrets.token_hex(8)}")
        if key is None:
            return Name(episode_id, player, replace, new_agent_token(self.cell))
        return Name(
            episode_id, player, replace, repeatable_agent_token(self.cell, episode_id, key, self.secret)
        )

    def session(self) -> str:
        """Return an id for a trainer's session."""
        return named_in(self.cell, secrets.token_hex(16))

    def snapshot(self) -> str:
        """Return an id for a snapshot."""
        return named_in(self.cell, f"snap-{secrets.token_hex(8)}")


def episode_exists(episode_id: str) -> Refusal:
    """Return the refusal of a reset under a name that another episode holds."""
    detail = (
        f"Episode {episode_id!r} is still being played. Leave episode_id out, choose another, "
        "or send replace=true to start over in its place."
    )
    return Refusal(409, "episode_exists", detail, field="episode_id")


def episode_replaced(episode_id: str) -> Refusal:
    """Return the refusal of a request that names another `episode_uid` than an episode of its name has now.

    Uids of replaced episodes are not kept, so one that never was is not told from theirs.
    """
    detail = (
        f"Episode {episode_id!r} has another episode_uid. The one you gave is that of an episode which a later reset "
        "replaced, or of none. Give the `episode_uid` from the response to your reset; if your episode was replaced, "
        "send reset to start another, under a name of your own or without one."
    )
    return Refusal(409, "episode_replaced", detail, field="episode_uid")


def episode_reset(episode_id: str) -> Refusal:
    """Return the refusal of a step whose episode was reset during the step."""
    detail = (
        f"Episode {episode_id!r} was reset while this step was being played. "
        "Send the step again if it is meant for the new episode."
    )
    return Refusal(409, "episode_replaced", detail, field="episode_id", retryable=True)
