"""pygls' protocol, where ours must differ."""

from __future__ import annotations

import logging
from functools import cache
from typing import Any, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import JsonRPCNotification, LanguageServerProtocol, default_converter, lsp_method

logger = logging.getLogger(__name__)

OWN_HANDLERS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
"""`documents` keeps the texts. pygls' own handlers would also keep a future of each key for ever (2.1.1)."""


@cache
def message_converter() -> Any:
    """JSON <-> the protocol's types. It holds no session's state, and building one takes a while."""
    return default_converter()  # type: ignore[no-untyped-call]


class Exits(Protocol):
    """What can be told to end."""

    def leave(self) -> None: ...


class BowerbirdProtocol(LanguageServerProtocol):
    """Answers what cannot be read, and leaves without tearing the event loop down."""

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()  # type: ignore[no-untyped-call]
        for name in OWN_HANDLERS:
            del self.fm.builtin_features[name]

    def _execute_handler(self, msg_id: Any, *arguments: Any, **named: Any) -> None:
        """Run a handler. pygls alone keeps the future of a command, or of a notification, for ever."""
        super()._execute_handler(msg_id, *arguments, **named)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda done: self._forget(msg_id, done))

    def _forget(self, msg_id: Any, future: Any) -> None:
        if self._request_futures.get(msg_id) is future:  # the editor may have used the number again
            del self._request_futures[msg_id]

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message. A request that makes no sense is answered; pygls alone would never answer it."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            number = data.get("id")
            if "method" in data and number is not None:
                self._send_response(number, error=error.to_response_error())
            elif number is not None and (waiting := self._request_futures.pop(number, None)):
                waiting.set_exception(error)
            return JsonRPCNotification("$/unreadable", self.VERSION, None)

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]
        """Stop reading; pygls would raise `SystemExit` through everything that runs."""
        leaver: Exits = self._server  # type: ignore[assignment]
        leaver.leave()
