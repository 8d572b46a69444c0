"""What a grammar does not enforce of a schema.

Apart from the shapes, which are not imported for a schema whose grammar is known.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something the grammar does not enforce.

    Attributes:
        pointer: JSON Pointer to the subschema, "" for the root.
        keyword: the keyword in it that is left to validation afterwards.
        reason: one clause a user understands.
        refused: True where nothing can be generated at all because of it.
    """

    pointer: str
    keyword: str
    reason: str
    refused: bool = False
