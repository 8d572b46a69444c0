"""Request bodies as servers take them: OpenAI's chat and completion requests, with vLLM's fields.

body       the fields, as Pydantic models
faults     what is said of a body that is wrong
asked      which of its constraints decides
plan       a body and the options of the command line as tasks
response   what came of the tasks, in the shape of a server's answer

Imported only for `--request`.
"""

from mlxjson.request.body import Body
from mlxjson.request.faults import read_body
from mlxjson.request.plan import Plan, Settings, plan
from mlxjson.request.response import Answer, first_failure

__all__ = ["Answer", "Body", "Plan", "Settings", "first_failure", "plan", "read_body"]
