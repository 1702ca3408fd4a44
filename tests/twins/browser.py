"""A page opened in a headless Chromium, driven over two pipes (NUL-separated JSON): no package beside the standard library.

Every wait has an end, and the browser is killed with all its children when the ``with`` block is left.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-extensions", "--remote-debugging-pipe"),
)
# Chromium reads from descriptor 3 and writes to 4; subprocess cannot number descriptors, so a process between does it.
_NUMBERED = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"


def executable():
    """Where the browser is, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser, one tab."""

    def __init__(self, path, timeout=60.0):
        self.timeout = timeout
        self.profile = tempfile.mkdtemp(prefix="browser-")
        theirs_in, self.to = _above_ten(os.pipe())
        self.back, theirs_out = _above_ten(os.pipe())
        command = [sys.executable, "-S", "-c", _NUMBERED, str(theirs_in), str(theirs_out), path, *FLAGS, f"--user-data-dir={self.profile}"]
        # without a sanitizer that these tests may run under, which is not the browser's
        inherited = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        environment = {**inherited, "HOME": self.profile, "XDG_CONFIG_HOME": self.profile, "XDG_CACHE_HOME": self.profile}
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), start_new_session=True, env=environment, **quiet)
        os.close(theirs_in)
        os.close(theirs_out)
        self.unread, self.events, self.number, self.session = b"", [], 0, None

    def __enter__(self):
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log", "Accessibility", "DOM"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # the group that was started here
        self.process.wait(10)
        for end in (self.to, self.back):
            os.close(end)
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- messages ----

    def call(self, method, **parameters):
        """Send a command and return its result; events that come in between are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self.timeout
        while True:
            answer = self._message(deadline, method)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def _message(self, deadline, what):
        while b"\0" not in self.unread:
            if not select.select([self.back], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimeoutError(f"the browser did not answer: {what}")
            part = os.read(self.back, 1 << 20)
            if not part:
                raise RuntimeError(f"the browser is gone: {what}")
            self.unread += part
        first, _, self.unread = self.unread.partition(b"\0")
        return json.loads(first)

    def wait(self, event):
        """Until an event has come."""
        deadline = time.monotonic() + self.timeout
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self._message(deadline, event))

    def of(self, *methods):
        """The parameters of all events of these kinds since the page was opened."""
        return [e["params"] for e in self.events if e.get("method") in methods]

    # ---- the page ----

    def open(self, url):
        """Load a page and forget what was before."""
        self.events = []
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def run(self, expression):
        """The value of an expression of the page's own language."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression[:200]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def show(self, width, height=900, scheme="light", medium="screen", **features):
        """The size of the window and what the reader prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        wanted = {"prefers-color-scheme": scheme, **{name.replace("_", "-"): value for name, value in features.items()}}
        self.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": n, "value": v} for n, v in wanted.items()])

    def press(self, key, code):
        """A key, down and up."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def picture(self, path, selector=None, beyond=True):
        """A screenshot of the page, of one element of it, or (``beyond=False``) of what the window shows, as PNG."""
        options = {"captureBeyondViewport": beyond}
        if selector is not None:
            box = self.run(
                f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                " return {x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height}; })()"
            )
            options["clip"] = {**box, "scale": 1}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", **options)["data"]))

    def pdf(self):
        """The page as it is printed: bytes of a PDF file, on paper of the size that the page asks for."""
        self.call("Emulation.setEmulatedMedia", media="")
        answer = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False, displayHeaderFooter=False)
        return base64.b64decode(answer["data"])


def _above_ten(pair):
    """The same pipe on descriptors of 10 or more, out of the way of 3 and 4."""
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in pair]
    for end in pair:
        os.close(end)
    return moved
