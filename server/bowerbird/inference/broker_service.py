"""What a broker does: hands the requests of several editors to one model, the most urgent first."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Sequence

from bowerbird.inference.broker_door import Refused, let_in
from bowerbird.inference.broker_request import Client, Request, priority_of, unbegun
from bowerbird.inference.pipe import Message, PipeError, receive_async
from bowerbird.inference.process import ModelProcess, Patience, ProcessEnded, start_process
from bowerbird.inference.shared_work import SharedWork
from bowerbird.inference.turns import Turns, Use

GRACE_SECONDS = 1.0  # after the last client: a window that is reloaded comes back within it
SLOTS_OF_A_CLIENT = 2


class Broker:
    """Serves clients of one model until the last has gone."""

    def __init__(self, command: Sequence[str], token: str, patience: Patience | None = None) -> None:
        self._command = command
        self._token = token
        self._patience = patience or Patience()
        self._clients: dict[int, Client] = {}
        self._open: set[Request] = set()
        """Those of clients that have left, too, until they have stopped."""
        self._turns = Turns()
        self._process: ModelProcess | None = None
        self._load: Message | None = None
        """What the first client asked to load; the folder's name stands for it, so all ask the same."""
        self._loaded = SharedWork(self._start)
        self._report: Message | None = None
        self._watching: asyncio.Task[None] | None = None
        self._arriving = 0
        """Those at the door."""
        self.over = asyncio.Event()

    async def admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until it leaves."""
        self._arriving += 1
        try:
            if self.over.is_set():
                raise Refused("It came too late.")
            await let_in(reader, writer, self._token)
        except (OSError, Refused) as why:
            print(f"A client was not let in: {why}", file=sys.stderr)
            writer.close()
            self._part()
            return
        finally:
            self._arriving -= 1
        number = next(number for number in range(len(self._clients) + 1) if number not in self._clients)
        client = self._clients[number] = Client(number, writer)
        try:
            while (message := await receive_async(reader)) is not None and message["type"] != "quit":
                self._take(client, message)
        except (PipeError, OSError) as error:
            print(f"A client was left: {error}", file=sys.stderr)
        finally:
            self._leave(client)

    def _leave(self, client: Client) -> None:
        """Forget a client; what the model does for it is cancelled."""
        del self._clients[client.number]
        for request in client.requests.values():
            if request.task is not None:
                request.task.cancel()
        client.writer.close()
        self._part()

    def _part(self) -> None:
        if not self._clients:
            asyncio.get_running_loop().call_later(GRACE_SECONDS, self.end_if_alone)

    def end_if_alone(self) -> None:
        """The end, unless somebody is here."""
        if not self._clients and not self._arriving:
            self.over.set()

    def _take(self, client: Client, message: Message) -> None:
        number = message.get("id")
        if not isinstance(number, int):
            raise PipeError("A request had no number.")
        client.is_editor |= message["type"] != "state"
        match message["type"]:
            case "ping":
                client.send({"type": "pong", "id": number})
            case "cancel":
                self._cancel(client, client.requests.get(number))
            case "state":
                client.send({"type": "state", "id": number, **self._state()})
            case "load" | "encode" | "generate" | "score" | "embed" if number not in client.requests:
                request = client.requests[number] = Request(message)
                request.task = asyncio.create_task(self._answer(client, request))
            case unknown:
                raise PipeError(f"There is no message {unknown!r}, or its number is in use.")

    def _cancel(self, client: Client, request: Request | None) -> None:
        if request is None or request.cancelled or request.task is None:
            return
        request.cancelled = True
        if request.call is not None and self._process is not None:
            self._process.cancel(request.call)
        elif request.message["type"] != "load":
            request.task.cancel()  # which may not have begun, so it cannot answer
            client.send({**unbegun(request.message), "id": request.message["id"]})
            del client.requests[request.message["id"]]

    def _state(self) -> Message:
        """For `doctor`."""
        return {
            "clients": sum(client.is_editor for client in self._clients.values()),
            "path": (self._load or {}).get("path", ""),
            "model_pid": self._process.pid if self._process is not None else 0,
            "requests": [request.as_told() for request in self._open],
        }

    async def _answer(self, client: Client, request: Request) -> None:
        """See one request through to its last answer."""
        message = request.message
        number = message["id"]
        self._open.add(request)
        try:
            if message["type"] == "load":
                client.send({**await self._load_for(message), "id": number})
            elif message["type"] == "encode":
                await self._relay(client, request)
            else:
                priority = priority_of(message)
                async with client.lines[priority], self._turns.turn(priority) as use:
                    yields = message["type"] == "generate"
                    if yields:
                        use.on_wanted(lambda: self._make_way(request))
                    await self._relay(client, request, use if yields else None)
        except ProcessEnded:
            pass  # everybody is told by `_watch`
        except (PipeError, OSError) as error:
            client.send({"type": "failed", "id": number, "kind": "internal", "message": str(error)})
        finally:
            self._open.discard(request)
            if client.requests.get(number) is request:
                del client.requests[number]

    def _make_way(self, request: Request) -> None:
        """Somebody more urgent waits; the client hears how far it came, and asks again to go on."""
        if request.call is not None and self._process is not None:
            self._process.cancel(request.call)

    async def _relay(self, client: Client, request: Request, use: Use | None = None) -> None:
        """Ask the model and hand its answers on."""
        if self._process is None or self._report is None:
            raise PipeError("No model is loaded.")
        message = dict(request.message)
        number = message["id"]
        if message["type"] == "generate":
            own = 1 if message.get("slot") else 0
            message["slot"] = SLOTS_OF_A_CLIENT * client.number + own
        async with self._process.call(message) as call:
            request.call = call
            if request.cancelled or (use is not None and use.wanted):
                self._process.cancel(call)
            while not call.over:
                client.send({**await call.next(), "id": number})

    async def _load_for(self, message: Message) -> Message:
        load = {name: value for name, value in message.items() if name != "id"}
        if self._load not in (None, load):
            return {"type": "failed", "kind": "internal", "message": "Another model is shared here."}
        self._load = load
        return self._report or await self._loaded.result()

    async def _start(self) -> Message:
        """Start the model's process and load; its report, or why there is none."""
        assert self._load is not None
        process = self._process = await start_process(self._command, self._patience)
        self._watching = asyncio.create_task(self._watch(process))
        async with process.call(self._load) as call:
            answer = await call.next()
        if answer["type"] == "failed":
            self._process = None
            await process.close()  # now its log is complete
            return {**answer, "log": list(process.log.lines)}
        self._report = answer
        return answer

    async def _watch(self, process: ModelProcess) -> None:
        """Tell everybody when the model's process died by itself, and end with it."""
        ended = await process.gone()
        if self._process is not process:
            return
        told = {"how": str(ended), "by_itself": ended.by_itself, "log": list(process.log.lines)}
        for client in self._clients.values():
            client.send({"type": "ended", "id": 0, **told})
        self.over.set()

    async def close(self) -> None:
        """End the model and let all clients go. What they were told still arrives."""
        await self._loaded.stop()
        process, self._process = self._process, None
        if process is not None:
            await process.close()
        for client in list(self._clients.values()):
            client.writer.close()
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await client.writer.wait_closed()
