import Foundation

/// A page of the manual: a Markdown file below `docs`, or README.md.
struct MarkdownPage: Sendable {
    /// A block of code.
    struct Block: Sendable {
        /// The path and the line of the first line of code, for failures.
        let place: String
        /// The word after the fence. Empty without one. `nil` for an indented block.
        let language: String?
        /// The lines without the indentation of the block. Each ends with a line feed.
        let text: String
        /// The text of the HTML comment directly before the block.
        let comment: String?
        /// The paragraph or heading directly before the block.
        let lead: String

        /// Whether a fence without a language contains rules, judged by their statements.
        var isRules: Bool { language == "" && !isSkipped && text.contains(#/(?m)^ *(service|match|allow) .*[{;]/#) }
        /// Whether the block is a drawing of lines and arrows.
        var isDrawing: Bool { language == "" && text.contains(/[─►│]/) }
        /// Whether the page has a reason against testing the block, or another test covers the block.
        var isSkipped: Bool { comment?.hasPrefix("not tested: ") == true || comment?.hasPrefix("A test ") == true }
    }

    /// A heading with the lines up to the next heading of any level.
    struct Section: Sendable {
        let level: Int
        let title: String
        let text: String
    }

    /// The path in the repository, such as `docs/index.md`.
    let path: String
    let text: String

    init(_ path: String) throws {
        self.init(path, text: try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8))
    }

    init(_ path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// The paths of all pages.
    static func paths() throws -> [String] {
        let files = FileManager.default.enumerator(atPath: Repository.root.appending(path: "docs").path)
        let pages = (files?.allObjects ?? []).compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }
        return ["README.md"] + pages.map { "docs/\($0)" }.sorted()
    }

    /// The blocks of code in their order.
    var blocks: [Block] {
        var reader = BlockReader(path: path)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { reader.read(line) }
        reader.end()
        return reader.blocks
    }

    var sections: [Section] {
        var sections: [Section] = []
        var fence: Substring?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let mark = line.prefixMatch(of: /```+/)?.output { fence = fence == nil ? mark : nil }
            if fence == nil, let heading = line.wholeMatch(of: /(#+) (.+)/) {
                sections.append(Section(level: heading.1.count, title: String(heading.2), text: ""))
            } else if let last = sections.popLast() {
                sections.append(Section(level: last.level, title: last.title, text: last.text + line + "\n"))
            }
        }
        return sections
    }

    /// The cells of the rows of all tables, without the rows of headings and rules. `\|` is a `|` within a cell.
    var rows: [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return zip(lines, lines.dropFirst() + [""]).filter { line, next in
            line.hasPrefix("|") && !line.hasPrefix("| ---") && !next.hasPrefix("| ---")
        }.map { line, _ in
            line.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst().dropLast().map {
                    $0.replacing("\u{0}", with: "|").trimmingCharacters(in: .whitespaces)
                }
        }
    }
}

/// Finds the blocks of code of a page, as CommonMark does: by fences, and by an indentation of four columns.
private struct BlockReader {
    let path: String
    var blocks: [MarkdownPage.Block] = []

    private var number = 0
    /// The column of the content, from the page itself to the innermost open item of a list.
    private var levels = [0]
    private var fence: Substring?
    private var language: String?
    private var code = ""
    private var first = 0
    private var isIndented = false
    private var comment: String?
    private var lead = ""
    private var wasBlank = true

    init(path: String) { self.path = path }

    mutating func read(_ line: Substring) {
        number += 1
        let column = line.prefix { $0 == " " }.count
        if let fence {
            let content = line.dropFirst(min(column, levels.last ?? 0))
            return content == fence ? close() : code.append(content + "\n")
        }
        guard column < line.count else {
            if isIndented { code += "\n" }
            wasBlank = true
            return
        }
        while column < levels.last ?? 0 { levels.removeLast() }
        let content = line.dropFirst(levels.last ?? 0)
        if (isIndented || wasBlank), content.hasPrefix("    ") {
            if !isIndented { open(nil, at: number) }
            isIndented = true
            code += content.dropFirst(4) + "\n"
        } else {
            end()
            readText(content)
        }
        wasBlank = false
    }

    private mutating func readText(_ content: Substring) {
        if let mark = content.prefixMatch(of: /```+/)?.output {
            open(content.dropFirst(mark.count).trimmingCharacters(in: .whitespaces), at: number + 1)
            fence = mark
        } else if let text = content.wholeMatch(of: /<!-- (.+) -->/) {
            comment = String(text.1)
        } else {
            if let item = content.prefixMatch(of: #/ {0,3}(?:[-*+]|[0-9]{1,9}[.)]) +/#)?.output {
                levels.append((levels.last ?? 0) + item.count)
            }
            lead = wasBlank ? String(content) : "\(lead) \(content)"
            comment = nil
        }
    }

    private mutating func open(_ language: String?, at line: Int) {
        (self.language, code, first) = (language, "", line)
    }

    private mutating func close() {
        while code.hasSuffix("\n\n") { code.removeLast() }
        blocks.append(
            MarkdownPage.Block(
                place: "\(path):\(first)", language: language, text: code, comment: comment, lead: lead))
        (fence, comment, isIndented) = (nil, nil, false)
    }

    /// Closes a block by indentation.
    mutating func end() {
        if isIndented { close() }
    }
}
