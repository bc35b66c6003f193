"""Build steps of the manual beyond MkDocs itself; mkdocs.yml lists this file as a hook.

- Lists are indented for Python-Markdown, which requires four columns for each level.
- A link from a page to a file outside docs/ becomes the path of the file as text: the site does not contain the file.
- Pages with Mermaid diagrams load a copy of Mermaid from the site: the theme would request it from a CDN.
- A page without a path from the navigation, a broken link in the built site and a request to another host are warnings.
  Strict mode fails on every warning.
"""

import hashlib
import logging
import posixpath
import re
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from markdown import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString
from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

REPOSITORY = Path(__file__).resolve().parent.parent
# Mermaid 11.6.0. The package is a dependency for this file only; its code is not run.
MERMAID = Path(find_spec("diagram_renderer").origin).parent / "renderers/static/js/mermaid.min.js"
MERMAID_SHA256 = "c2a496e5230276f435b4aee61fcccc75170b2aac9a0fecab100605473c8e5c8f"
MERMAID_PATH = "assets/mermaid.min.js"

# MkDocs counts the warnings of its own loggers only.
log = logging.getLogger("mkdocs.hooks.gatehouse")


class LinkGraph:
    """The links between pages, by the path of the page in docs/."""

    def __init__(self):
        self.current = ""
        self.roots = set()
        self.sources = {}
        self.targets = {}

    def add_link(self, target):
        self.targets.setdefault(self.current, set()).add(target)

    def unreachable_pages(self):
        reached, open_pages = set(), list(self.roots)
        while open_pages:
            page = open_pages.pop()
            if page not in reached:
                reached.add(page)
                open_pages.extend(self.targets.get(page, ()))
        return sorted(set(self.sources.values()) - reached)


graph = LinkGraph()


class RepositoryLinks(Treeprocessor):
    """Records the links to pages, and replaces the links to files outside docs/ by the path of the file."""

    def run(self, root):
        for parent in root.iter():
            for index, child in enumerate(parent):
                if child.tag == "a" and (path := self.repository_path(child.get("href", ""))):
                    parent[index] = self.path_as_text(child, path)

    def repository_path(self, link):
        """Returns the path of the linked file in the repository; `None` for a page and for another host."""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
            return None
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(graph.current), unquote(parts.path)))
        if path.startswith("docs/"):
            graph.add_link(path.removeprefix("docs/"))
            return None
        if path.startswith("../") or not (REPOSITORY / path).exists():
            log.warning("docs/%s links to '%s', but the repository has no '%s'. Correct the link.",
                        graph.current, link, path)
        elif parts.fragment and path.endswith(".md") and parts.fragment not in anchors_on_github(REPOSITORY / path):
            log.warning("docs/%s links to '%s', but no heading of '%s' has that anchor. Correct the anchor.",
                        graph.current, link, path)
        return path

    def path_as_text(self, link, path):
        code = ElementTree.Element("code", {"class": "repository-path"})
        code.text = AtomicString(path)
        label = "".join(link.itertext()).strip()
        if label in (path, posixpath.basename(path), Path(path).stem):
            code.tail = link.tail
            return code
        span = ElementTree.Element("span")
        span.text, span.tail = link.text, link.tail
        span.extend(list(link))
        if len(span):
            span[-1].tail = (span[-1].tail or "") + " ("
        else:
            span.text = (span.text or "") + " ("
        code.tail = ")"
        span.append(code)
        return span


class RepositoryLinksExtension(Extension):
    def extendMarkdown(self, md):
        # After the inline patterns (20), before the table of contents (5) and the link check of MkDocs (0).
        md.treeprocessors.register(RepositoryLinks(md), "repository_links", 10)


LIST_MARKER = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)]) +(?=\S)")
FENCE = re.compile(r" *(```+|~~~+)")


def indent_lists(markdown):
    """Returns the page with four columns of indentation for each level of a list.

    CommonMark, and so GitHub, indents the content of an item by the width of its marker: two columns for `- `, three
    for `1. `. Python-Markdown would read such content as a paragraph of the outer level.
    """
    lines = []
    levels = [0]  # The column of the content, from the page itself to the innermost open item.
    fence = None
    was_text = False
    for line in markdown.split("\n"):
        if not line.strip():
            lines.append("")
            was_text = False
            continue
        column = len(line) - len(line.lstrip(" "))
        while not fence and column < levels[-1]:
            levels.pop()
        content = line[min(column, levels[-1]):]
        indentation = "    " * (len(levels) - 1)
        if match := FENCE.match(content):
            if not fence:
                fence = match[1]
            elif match[1].startswith(fence) and content.strip() == match[1]:
                fence = None
        elif not fence and (match := LIST_MARKER.match(content)):
            # A list after a paragraph needs an empty line.
            if was_text and len(levels) == 1:
                lines.append("")
            levels.append(levels[-1] + match.end())
        lines.append(indentation + content)
        was_text = len(levels) == 1
    return "\n".join(lines)


def anchors_on_github(path):
    text = re.sub(r"^ *(```|~~~).*?^ *\1", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ +(.+?) *#*$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class BuiltPage(HTMLParser):
    """The anchors, links and loaded resources of an HTML file."""

    def __init__(self, html):
        super().__init__()
        self.anchors, self.links, self.resources = {"", "top"}, set(), set()
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(value for key in ("id", "name") if (value := values.get(key)))
        if tag == "a" and (link := values.get("href")):
            self.links.add(link)
        elif tag == "link" and (link := values.get("href")):
            self.resources.add(link)
        if source := values.get("src"):
            self.resources.add(source)


def check_site(site, sources):
    """Warns of each link and resource in the built site that does not exist or is on another host."""
    pages = {file.relative_to(site).as_posix(): BuiltPage(file.read_text()) for file in site.rglob("*.html")}
    missing = {}
    for name, page in sorted(pages.items()):
        source = f"docs/{sources[name]}" if name in sources else name
        for link in sorted(page.links | page.resources):
            parts = urlsplit(link)
            if parts.netloc or parts.scheme in ("http", "https"):
                if link in page.resources:
                    log.warning("%s loads '%s' from another host. Put a copy below docs/.", source, link)
            # MkDocs itself reports a missing page; it leaves the `.md` in such a link.
            elif not parts.scheme and not parts.path.endswith(".md"):
                if target := missing_target(site, pages, name, parts):
                    missing.setdefault(target, []).append(source)
    for target, linking in sorted(missing.items()):
        log.warning("the site has no '%s'; pages that link to it: %s, such as %s. Correct the link or add the page.",
                    target, len(linking), linking[0])


def missing_target(site, pages, name, link):
    """Returns the path and anchor in the site to which the page `name` links; `None` if the target exists."""
    path = name
    if link.path:
        base = "/" if link.path.startswith("/") else f"/{posixpath.dirname(name)}/"
        path = posixpath.normpath(posixpath.join(base, unquote(link.path).lstrip("/"))).lstrip("/")
    if (site / path).is_dir():
        path = posixpath.normpath(posixpath.join(path, "index.html"))
    anchor = unquote(link.fragment)
    if not (site / path).is_file():
        return path
    if path in pages and anchor not in pages[path].anchors:
        return f"{path}#{anchor}"
    return None


def on_config(config):
    if hashlib.sha256(MERMAID.read_bytes()).hexdigest() != MERMAID_SHA256:
        log.warning("%s is not the reviewed file. Remove .build/docs, then run script/docs again.", MERMAID)
    config.markdown_extensions.append(RepositoryLinksExtension())
    return config


def on_files(files, config):
    files.append(File.generated(config, MERMAID_PATH, abs_src_path=str(MERMAID)))
    return files


def on_nav(nav, config, files):
    graph.roots = {page.file.src_uri for page in nav.pages}
    graph.sources = {file.dest_uri: file.src_uri for file in files.documentation_pages()}
    graph.targets = {}
    return nav


def on_page_markdown(markdown, page, config, files):
    graph.current = page.file.src_uri
    return indent_lists(markdown)


def on_post_page(output, page, config):
    # 2.7 MB, so not on every page. The script of the theme follows it, at the end of the page.
    if '<pre class="mermaid">' not in output:
        return output
    return output.replace("</head>", f'<script src="{get_relative_url(MERMAID_PATH, page.url)}"></script></head>', 1)


def on_post_build(config):
    for page in graph.unreachable_pages():
        log.warning("docs/%s is not in the navigation, and no page there leads to it. Add it to 'nav' in mkdocs.yml.",
                    page)
    check_site(Path(config.site_dir), graph.sources)
