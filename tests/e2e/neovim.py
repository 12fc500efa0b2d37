"""Drives a real Neovim without a screen, through its own remote calls."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from e2e.liveness import LIVENESS_S, wait_for

GHOSTS = """
(function()
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })) do
    local lines = { {} }
    for _, chunk in ipairs(mark[4].virt_text or {}) do table.insert(lines[1], chunk[1]) end
    for _, line in ipairs(mark[4].virt_lines or {}) do
      table.insert(lines, {})
      for _, chunk in ipairs(line) do table.insert(lines[#lines], chunk[1]) end
    end
    for i, line in ipairs(lines) do lines[i] = table.concat(line) end
    table.insert(found, { line = mark[2], column = mark[3], text = table.concat(lines, "\\n") })
  end
  return found
end)()
"""
"""Everything that stands in the buffer without being its text, and where (from 0)."""


class Neovim:
    """One Neovim with one configuration, started in `folder`; as a context it ends with its block."""

    def __init__(
        self, executable: Path, init: Path, folder: Path, file: str, environment: dict[str, str]
    ) -> None:
        self.executable = executable
        self.socket = init.with_name("socket")
        command = [executable, "-n", "--headless", "--clean", "-u", init, "--listen", self.socket, file]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wait_for(self.socket.exists)

    def __enter__(self) -> Neovim:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(LIVENESS_S)

    def send(self, keys: str) -> None:
        """Type, as on a keyboard: ``ofoo<Tab>``."""
        self._remote("--remote-send", keys)

    def lua(self, expression: str) -> Any:
        """The value of a Lua expression inside the editor."""
        quoted = expression.replace("'", "''")
        return json.loads(self._remote("--remote-expr", f"json_encode(luaeval('{quoted}'))"))

    def lines(self) -> list[str]:
        return self.lua("vim.api.nvim_buf_get_lines(0, 0, -1, false)")

    def ghosts(self) -> list[dict[str, Any]]:
        return self.lua(GHOSTS)

    def wait_for(self, arrived: Callable[[], Any]) -> Any:
        """What `arrived` gives, once it gives something."""
        return wait_for(arrived, self.process)

    def _remote(self, how: str, argument: str) -> str:
        command = [self.executable, "--server", self.socket, how, argument]
        return subprocess.run(command, capture_output=True, text=True, timeout=LIVENESS_S, check=True).stdout
