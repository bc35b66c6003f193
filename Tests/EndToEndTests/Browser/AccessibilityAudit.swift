/// Checks of a page in a browser that a program can make: names and roles of controls, language, headings,
/// contrast, size of targets, and width.
enum AccessibilityAudit {
    /// Returns what violates the checks. Invisible elements are not checked.
    static func violations(in browser: Browser) throws -> [String] { try browser.evaluate(script) }

    /// The contrast is that of WCAG 2.2, criterion 1.4.3, for text of any size. Targets have 24 pixels (2.5.8).
    private static let script = """
        const problems = [];
        const isVisible = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
        const named = (element) => `${element.tagName} ${element.textContent.trim().slice(0, 30)}`;
        const all = (selector) => [...document.querySelectorAll(selector)].filter(isVisible);

        if (!document.documentElement.lang) problems.push("no lang");
        if (!document.title.trim()) problems.push("no title");
        for (const [selector, count] of [["main", 1], ["h1", 1], ["[role=alert]", 1], ["[role=status]", 1]])
          if (document.querySelectorAll(selector).length !== count) problems.push(`not ${count} ${selector}`);

        const modal = document.querySelector("dialog[open]");
        let level = 0;
        for (const heading of all("h1,h2,h3,h4,h5,h6").filter((heading) => !heading.closest("dialog"))) {
          const next = Number(heading.tagName[1]);
          if (next > level + 1) problems.push(`heading order: ${named(heading)}`);
          level = next;
        }
        for (const control of all("a,button,input,select,textarea,[tabindex]")) {
          const name = control.textContent.trim() || control.ariaLabel || control.labels?.[0]?.textContent.trim();
          if (!name) problems.push(`no name: ${control.outerHTML}`);
          if (control.getBoundingClientRect().height < 24) problems.push(`small: ${named(control)}`);
        }
        for (const image of all("img")) if (!image.hasAttribute("alt")) problems.push("img without alt");
        for (const part of all("[aria-labelledby],[aria-describedby]"))
          for (const id of [part.getAttribute("aria-labelledby"), part.getAttribute("aria-describedby")])
            if (id && !document.getElementById(id)?.textContent.trim()) problems.push(`no text: ${id}`);
        if (modal && !modal.contains(document.activeElement)) problems.push("the dialog has no focus");

        const parse = (color) => color.match(/[\\d.]+/g).map(Number);
        const light = (color) => parse(color).slice(0, 3).map((value) => value / 255)
          .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
          .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
        const background = (element) => {
          for (let node = element; node; node = node.parentElement) {
            const color = getComputedStyle(node).backgroundColor;
            if ((parse(color)[3] ?? 1) > 0) return color;
          }
          return "rgb(255, 255, 255)";
        };
        for (const element of all("body *")) {
          if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
          const pair = [light(getComputedStyle(element).color), light(background(element))].sort((a, b) => b - a);
          const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
          if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(2)}: ${named(element)}`);
        }
        const root = document.documentElement;
        if (root.scrollWidth > root.clientWidth) problems.push(`wider than the window: ${root.scrollWidth}`);
        // Rows become lists on small screens.
        if (root.clientWidth < 600)
          for (const part of all(".scroll:has(> .rows)"))
            if (part.scrollWidth > part.clientWidth) problems.push(`a table that is cut off: ${named(part)}`);
        return problems;
        """
}
