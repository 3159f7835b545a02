"""An agent loop of your own with Wellkept's memory: chat completions over HTTP, forty lines, no framework.

    OPENAI_API_KEY=… python examples/own_loop.py "call me Sam"

`OPENAI_BASE_URL` names another provider that speaks the same protocol, `MODEL` its model. Memory lies in `memory.db`;
with `WELLKEPT_STORE=http://127.0.0.1:8787` and `WELLKEPT_API_KEY` it is a server's.
"""

import asyncio
import json
import os
import sys

import httpx2

import wellkept
from wellkept.compose.open import OpenMemory

INSTRUCTIONS = "You are a helpful support agent."
MODEL = os.environ.get("MODEL", "gpt-5.2")
PROVIDER = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
STORE = os.environ.get("WELLKEPT_STORE", "sqlite:///memory.db")
MOST_STEPS = 8


async def turn(memory: OpenMemory, http: httpx2.AsyncClient, user_id: str, said: str) -> str:
    """Run one turn: ask the model, run the tools it calls, until it answers."""
    of_turn = memory.turn(agent="assistant", user_id=user_id, session_id="example")
    context = await of_turn.context(query=said)
    tools = {tool.name: tool for tool in of_turn.tools()}
    offered = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in tools.values()
    ]
    messages = [
        {"role": "system", "content": f"{INSTRUCTIONS}\n\n{context.text}"},
        {"role": "user", "content": said},
    ]
    for _ in range(MOST_STEPS):
        answer = await http.post("/chat/completions", json={"model": MODEL, "messages": messages, "tools": offered})
        answer.raise_for_status()
        message = answer.json()["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        if not calls:
            return message["content"]
        messages.append(message)
        for call in calls:
            asked = call["function"]
            result = await tools[asked["name"]].call(json.loads(asked["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})
    return "I could not finish that."


async def main(said: str) -> None:
    key = os.environ.get("OPENAI_API_KEY", "")
    async with (
        wellkept.open(STORE) as memory,
        httpx2.AsyncClient(base_url=PROVIDER, headers={"Authorization": f"Bearer {key}"}, timeout=60) as http,
    ):
        print(await turn(memory, http, "user-42", said))


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:])))
