"""Free text of the starter without and with its adapter, to be judged by eye.

`python -m training.side_by_side [--adapter FOLDER] [--count 30]` writes Markdown to stdout.
"""

import argparse
import json
from typing import Any

from mlxjson.api import open_session
from mlxjson.constraint import JsonSchema, Layout
from mlxjson.prompt import gen_messages
from mlxjson.session import Session
from mlxjson.task import Task

_TEXT: dict[str, Any] = {"type": "string", "maxLength": 240}
_PROMPTS = [
    ("Write a slogan for a bakery that opens at five.", "slogan"),
    ("Invent a name for a bookshop on a ship.", "name"),
    ("Describe a rainy market day.", "description"),
    ("Explain to a child why leaves turn red.", "explanation"),
    ("Write a friendly reply to a guest who asks for a late check-out.", "reply"),
    ("Give one idea for a birthday gift for a gardener.", "idea"),
    ("Write the first sentence of a mystery set in a lighthouse.", "sentence"),
    ("Suggest a title for an article about lost gloves.", "title"),
    ("Describe the taste of a lemon.", "description"),
    ("Write a short apology for a delayed parcel.", "message"),
    ("Give a tip for sleeping well on a train.", "tip"),
    ("Invent a motto for a chess club.", "motto"),
    ("Say what a compass is for.", "answer"),
    ("Write a caption for a photo of a sleeping cat.", "caption"),
    ("Describe an old piano.", "description"),
    ("Give a reason to learn a second language.", "reason"),
    ("Write two sentences about the sea at night.", "text"),
    ("Invent a superhero who works in a library.", "hero"),
    ("Write a warning sign for a slippery floor.", "sign"),
    ("Recommend a rainy-day activity for children.", "activity"),
    ("Thank a neighbour who watered the plants.", "note"),
    ("Describe a robot's first day at school.", "story"),
    ("Give a piece of advice to a new cook.", "advice"),
    ("Write a headline about a town that banned clocks.", "headline"),
    ("Say in one sentence what a river does.", "sentence"),
    ("Invent an ice cream flavour and describe it.", "flavour"),
    ("Write a short toast for a wedding.", "toast"),
    ("Describe the smell of fresh bread.", "description"),
    ("Write a question for a quiz about the moon.", "question"),
    ("Say why a bicycle stays upright.", "answer"),
]


def written(session: Session, prompt: str, name: str) -> str:
    """The text that a session writes into one field."""
    schema = {"type": "object", "properties": {name: _TEXT}, "required": [name]}
    task = Task(JsonSchema(schema, Layout.SPACED), gen_messages(prompt, schema), retries=0)
    return str(json.loads(session.run(task).text)[name])


def main() -> None:
    """Print a table of prompts and both texts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adapter")
    parser.add_argument("--count", type=int, default=len(_PROMPTS))
    args = parser.parse_args()
    base = open_session("starter", starter_adapter=False)
    own = open_session("starter", adapter=args.adapter)
    for prompt, name in _PROMPTS[: args.count]:
        print(f"**{prompt}** (`{name}`)\n")
        print(f"- base: {written(base, prompt, name)}")
        print(f"- adapter: {written(own, prompt, name)}\n", flush=True)


if __name__ == "__main__":
    main()
