"""A page in headless Chromium, driven by keys over its debugging pipe."""
import json, os, subprocess


class Browser:
    def __init__(self, user):
        from_us, to_them = os.pipe()[::-1], os.pipe()[::-1]
        self.out, self.ask = os.fdopen(from_us[0], "wb"), from_us[1]
        self.answer, self.tell = os.fdopen(to_them[1], "rb"), to_them[0]

        def fds():
            ask, tell = os.dup(self.ask), os.dup(self.tell)
            os.dup2(ask, 3)
            os.dup2(tell, 4)

        self.process = subprocess.Popen(
            ["timeout", "--foreground", "900", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-sync", "--disable-background-networking",
             "--disable-component-update", "--user-data-dir=" + user, "--remote-debugging-pipe", "about:blank"],
            preexec_fn=fds, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(self.ask)
        os.close(self.tell)
        self.number, self.session, self.console, self.loaded = 0, None, [], False
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.call(domain + ".enable")

    def receive(self):
        text = bytearray()
        while not text.endswith(b"\0"):
            byte = self.answer.read(1)
            assert byte, "the browser has gone"
            text += byte
        got = json.loads(text[:-1])
        if got.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.console.append(got["params"])
        self.loaded = self.loaded or got.get("method") == "Page.loadEventFired"
        return got

    def call(self, method, **parameters):
        self.number += 1
        sent = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            sent["sessionId"] = self.session
        self.out.write(json.dumps(sent).encode() + b"\0")
        self.out.flush()
        while True:
            got = self.receive()
            if got.get("id") == self.number:
                assert "error" not in got, (method, got["error"])
                return got["result"]

    def open(self, url, width, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.loaded = False
        self.call("Page.navigate", url="about:blank")
        while not self.loaded:
            self.receive()
        self.loaded = False
        self.call("Page.navigate", url=url)
        while not self.loaded:
            self.receive()

    def value(self, script):
        got = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in got, got["exceptionDetails"]
        return got["result"].get("value")

    def key(self, name, text=""):
        code = {"Tab": 9, "Enter": 13}.get(name, ord(text or name[0]))
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code)

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()
