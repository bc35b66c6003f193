"""Opens the built manual in a headless Chromium, driven by WebDriver (https://www.w3.org/TR/webdriver2/).

    docs_browser.py SITE [FOLDER]

Every page loads without an error in the console and without a request to another host, every diagram is drawn, the
navigation leads to other pages, and the search finds a page. With FOLDER, PNG files of some pages are written to it
instead. GATEHOUSE_CHROMEDRIVER names the driver; by default it is `chromedriver` on the PATH.
"""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError

PICTURES = {
    "home": "/",
    "configuration": "/reference/configuration/routes/",
    "architecture": "/internals/architecture/",
    "rules": "/guides/rules/",
}


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Browser:
    """A session of Chromium that finds no host but 127.0.0.1."""

    def __init__(self, folder):
        self.log = open(Path(folder) / "log", "w+")
        driver = os.environ.get("GATEHOUSE_CHROMEDRIVER", "chromedriver")
        self.process = subprocess.Popen([driver, "--port=0"], stdout=self.log, stderr=self.log)
        self.base = f"http://127.0.0.1:{wait('chromedriver', self.port)}"
        arguments = [
            "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
            "--no-first-run", "--no-proxy-server", "--hide-scrollbars", "--window-size=1280,900",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--user-data-dir={folder}/profile",
        ]
        # The sandbox of Chromium does not run as root.
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        capabilities = {
            "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        try:
            session = self.send("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        except SystemExit:
            self.process.terminate()
            raise
        self.base += f"/session/{session['sessionId']}"

    def port(self):
        match = re.search(r"started successfully on port (\d+)", Path(self.log.name).read_text())
        return match and match[1]

    def send(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return json.load(response)["value"]
        except HTTPError as error:
            fail(f"{method} {path} of WebDriver: {error.read().decode()[:300]}")

    def open(self, url):
        self.send("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        self.send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def errors(self):
        return [line["message"] for line in self.send("POST", "/se/log", {"type": "browser"})
                if line["level"] == "SEVERE"]

    def requests(self):
        """Returns the URLs that pages requested since the last call."""
        messages = [json.loads(line["message"])["message"]
                    for line in self.send("POST", "/se/log", {"type": "performance"})]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    def close(self):
        try:
            self.send("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()


def fail(text):
    sys.exit(f"docs: {text}")


def wait(name, condition):
    """Returns the first true result of `condition`, which it polls for at most three minutes."""
    end = time.monotonic() + 180
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.05)
    fail(f"{name}: no result after three minutes")


# The theme replaces each block by an element of the drawn size. It draws only what is visible.
DRAWN = """
const open = document.querySelectorAll("pre.mermaid").length;
const drawn = [...document.querySelectorAll("div.mermaid")].map((diagram) => diagram.getBoundingClientRect().height);
return open ? null : drawn;
"""


# The theme replaces the content of a page after a click and while a user types, so an element may be missing for a
# moment.
CLICK = "const found = document.querySelector(arguments[0]); found?.click(); return found !== null"


def click(browser, selector):
    wait(f"the element {selector}", lambda: browser.run(CLICK, selector))


def check_page(browser, origin, path):
    browser.open(origin + path)
    heights = wait(f"the diagrams of {path}", lambda: browser.run(DRAWN) is not None) and browser.run(DRAWN)
    source = browser.run("return fetch(location.href).then((r) => r.text())")
    if len(heights) != source.count('<pre class="mermaid">') or any(height < 40 for height in heights):
        fail(f"{path}: a diagram is not drawn; the heights are {heights}")


def check_navigation(browser, origin):
    browser.open(origin + "/")
    for selector in (".md-tabs__link[href^='reference']", "a.md-footer__link--next", "a.md-logo"):
        before = browser.run("return location.href")
        click(browser, selector)
        wait(f"the page behind {selector}", lambda: browser.run("return location.href") != before)
        if not browser.run("return document.querySelector('h1') !== null"):
            fail(f"{selector} leads to {browser.run('return location.href')}, which has no heading")


def check_search(browser, origin):
    browser.open(origin + "/")
    browser.run("""
        document.querySelector("[data-md-toggle=search]").click();
        const input = document.querySelector("[data-md-component=search-query]");
        input.focus();
        input.value = "auth/requires-recent-login";
        input.dispatchEvent(new Event("keyup", { bubbles: true }));
        input.dispatchEvent(new Event("input", { bubbles: true }));""")
    links = "return [...document.querySelectorAll('.md-search-result__link')].map((link) => link.href)"
    found = wait("the results of the search", lambda: browser.run(links))
    if not any("/reference/errors/" in link or "/troubleshooting/" in link for link in found):
        fail(f"the search for an error code found only {found}")
    click(browser, ".md-search-result__link")
    wait("the page that the search found", lambda: browser.run("return location.pathname") != "/")


def take_pictures(browser, origin, folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for name, path in PICTURES.items():
            check_page(browser, origin, path)
            height = min(browser.run("return document.documentElement.scrollHeight"), 2400)
            browser.devtools("Emulation.setDeviceMetricsOverride",
                             width=1280, height=height, deviceScaleFactor=1, mobile=False)
            (Path(folder) / f"{name}-{scheme}.png").write_bytes(base64.b64decode(browser.send("GET", "/screenshot")))


def check(browser, origin, site):
    pages = sorted(f"/{page.relative_to(site).as_posix().removesuffix('index.html')}"
                   for page in site.rglob("*.html") if page.name != "404.html")
    for path in pages:
        check_page(browser, origin, path)
    check_navigation(browser, origin)
    check_search(browser, origin)
    print(f"docs: {len(pages)} pages, the navigation and the search work in Chromium", file=sys.stderr)


def main(site, folder=None):
    site = Path(site).resolve()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as scratch:
        browser = Browser(scratch)
        try:
            if folder:
                take_pictures(browser, origin, folder)
            else:
                check(browser, origin, site)
            if errors := browser.errors():
                fail(f"errors in the console: {errors}")
            requests = {url for url in browser.requests() if re.match("(http|ws)s?:", url)}
            foreign = {url for url in requests if not url.startswith(origin)}
            if foreign:
                fail(f"requests to other hosts: {sorted(foreign)}")
        finally:
            browser.close()


main(*sys.argv[1:])
