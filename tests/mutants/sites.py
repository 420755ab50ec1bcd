# SPDX-License-Identifier: Apache-2.0
"""Where a C++ source can be changed a little so that it means something else.

Works on tokens, not on a syntax tree, and relies on the layout that .clang-format enforces: a
binary operator has spaces around it, the bracket of a template has none before it.
"""
import bisect
import hashlib
import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<space>\s+)
  |(?P<comment>//[^\n]*|/\*.*?\*/)
  |(?P<directive>\#(?:\\\n|[^\n])*)
  |(?P<string>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
             |(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
  |(?P<number>\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*)
  |(?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
  |(?P<word>[A-Za-z_]\w*)
  |(?P<sign><=>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|<<|>>|.)""",
    re.X | re.S,
)

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = {"&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|", "|": "&", "<<": ">>",
              ">>": "<<", "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "++": "--", "--": "++"}
WORDS = {"min": "max", "max": "min", "min_element": "max_element", "max_element": "min_element",
         "lower_bound": "upper_bound", "upper_bound": "lower_bound", "any_of": "all_of",
         "all_of": "any_of", "none_of": "any_of", "front": "back", "back": "front"}
BOOLEANS = {"true": "false", "false": "true"}
KINDS = ("comparison", "off by one", "logic", "condition", "arithmetic", "statement", "constant",
         "word")

# Changes in these change no result: storage ahead of need, hints to the machine.
IDLE_CALLS = {"reserve", "shrink_to_fit", "prefetch", "__builtin_prefetch", "invariant", "assert"}
# An assertion that holds is not missed, and the others take types.
UNCHANGED_CALLS = {"invariant", "assert", "alignas", "decltype", "sizeof", "noexcept", "reserve",
                   "prefetch", "__builtin_prefetch"}
# These begin a declaration or another statement that has no value to drop.
NO_EXPRESSION = {"return", "const", "auto", "constexpr", "static", "using", "struct", "class",
                 "enum", "union", "goto", "typedef", "if", "for", "while", "do", "switch", "else",
                 "case", "default", "try", "catch", "template", "co_return", "throw", "namespace",
                 "friend", "public", "private", "protected", "explicit", "inline", "virtual",
                 "mutable", "unsigned", "signed", "int", "bool", "char", "double", "float", "long",
                 "extern"}
OPENING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    begin: int
    end: int
    spaced: bool  # by spaces or line ends on both sides


@dataclass(frozen=True)
class Mutant:
    id: str
    file: str
    context: str  # function, or class, around it
    kind: str
    before: str  # the line, or the lines joined
    after: str
    line: int  # of today
    begin: int  # of the text that `text` replaces
    end: int
    text: str

    def apply(self, source):
        return source[: self.begin] + self.text + source[self.end :]


def tokens_of(source):
    """What counts: neither spaces nor comments."""
    found = []
    for match in TOKEN.finditer(source):
        if match.lastgroup not in ("space", "comment"):
            begin, end = match.span()
            spaced = begin > 0 and source[begin - 1].isspace() and source[end : end + 1].isspace()
            kind = "string" if match.lastgroup == "mark" else match.lastgroup
            found.append(Token(kind, match.group(), begin, end, spaced))
    return found


def without_comments(source):
    """The source with spaces for comments, so that all stays where it is."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group())
                     if match.lastgroup == "comment" else match.group(), source)


def closing(tokens, at):
    """The index of the bracket that closes the one at `at`."""
    opened, closed = tokens[at].text, OPENING[tokens[at].text]
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i].text == opened) - (tokens[i].text == closed)
        if depth == 0:
            return i
    return len(tokens) - 1


def template_end(tokens, at):
    """The index of the > that closes the template bracket at `at`, or None where it is no such."""
    if tokens[at].text != "<" or tokens[at].spaced:
        return None
    depth = 0
    for i in range(at, min(len(tokens), at + 200)):
        text = tokens[i].text
        if text == "<" and not tokens[i].spaced:
            depth += 1
        elif text in (">", ">>") and not tokens[i].spaced:
            depth -= len(text)
            if depth <= 0:
                return i
        elif text in (";", "{"):
            return None
    return None


def skipped(tokens):
    """Indices of tokens that stay as they are."""
    skip = set()

    def until(at, text):
        end = at
        while end < len(tokens) and tokens[end].text != text:
            end += 1
        skip.update(range(at, end + 1))

    for i, token in enumerate(tokens):
        following = tokens[i + 1].text if i + 1 < len(tokens) else ""
        if token.kind == "directive":
            skip.add(i)
        elif token.text in ("static_assert", "using", "throw", "friend", "typedef"):
            until(i, ";")
        elif token.text in UNCHANGED_CALLS and (
            following == "("
        ):
            skip.update(range(i, closing(tokens, i + 1) + 1))
        elif token.text == "enum":
            until(i, "}")
        elif token.text == "case":
            until(i, ":")
        elif token.text == "operator":
            until(i, "(")
        elif token.text == "[" and following == "[":
            skip.update(range(i, closing(tokens, i) + 1))
        elif token.text == "<" and (end := template_end(tokens, i)) is not None:
            skip.update(range(i, end + 1))
        elif token.text == "template" and following == "<":
            end = i + 1
            depth = 0
            while end < len(tokens):
                depth += tokens[end].text.count("<") - tokens[end].text.count(">")
                if depth <= 0:
                    break
                end += 1
            skip.update(range(i, end + 1))
        elif (token.text == "=" and following == "0" and i + 2 < len(tokens)
              and tokens[i + 2].text == ";"
              and tokens[i - 1].text in (")", "const", "noexcept", "override")):
            skip.add(i + 1)  # a pure virtual function
    return skip


@dataclass
class Scope:
    kind: str  # file, namespace, class, enum, block, braces or brackets
    name: str
    head: int  # where the statement around it begins


def plain_head(tokens, begin, end):
    """The tokens of a head without parameters of templates and what is in brackets."""
    out, i = [], begin
    while i < end:
        if tokens[i].text == "<" and (close := template_end(tokens, i)) is not None and close < end:
            i = close
        elif tokens[i].text == "template":
            depth, i = 0, i + 1
            while i < end:
                depth += tokens[i].text.count("<") - tokens[i].text.count(">")
                if depth <= 0:
                    break
                i += 1
        else:
            out.append(tokens[i])
            if tokens[i].text in ("(", "["):
                i = closing(tokens, i)
                if i < end:
                    out.append(tokens[i])
        i += 1
    return out


def function_name(head):
    texts = [token.text for token in head]
    if "operator" in texts:
        at = texts.index("operator")
        end = texts.index("(", at + 1) if "(" in texts[at + 1 :] else len(texts)
        return "".join(texts[at:end])
    if "(" not in texts:
        return ""
    at = begin = texts.index("(")
    while begin > 0 and (head[begin - 1].text in ("::", "~") or (
            head[begin - 1].kind == "word" and (begin == at or head[begin].text in ("::", "~")))):
        begin -= 1
    return "".join(texts[begin:at])


def scope_of_brace(tokens, at, top, head_begin):
    """What the { at `at` opens."""
    before = tokens[at - 1].text if at else ""
    head = plain_head(tokens, head_begin, at)
    texts = [token.text for token in head]
    after_arguments = texts[len(texts) - texts[::-1].index(")") :] if ")" in texts else []
    body = before in (")", "]", "const", "mutable", "noexcept", "override", "final", "else", "do",
                      "try") or "->" in after_arguments
    if top.kind in ("brackets", "braces"):
        return Scope("block" if body else "braces", "", head_begin)
    if texts and texts[0] in ("namespace", "extern"):
        return Scope("namespace", "", head_begin)
    if "enum" in texts:
        return Scope("enum", "", head_begin)
    if "(" not in texts and "=" not in texts:
        for word in ("class", "struct", "union"):
            if word in texts:
                name = "".join(t for t in texts[texts.index(word) + 1 :] if t != "final")
                return Scope("class", re.match(r"(?:\w|::)*", name).group(), head_begin)
    if top.kind == "block":
        body = body or before in (";", "{", "}", ":", "")
        return Scope("block" if body else "braces", "", head_begin)
    if body or (before in ("}", ";") and "(" in texts):
        return Scope("block", function_name(head), head_begin)
    return Scope("braces", "", head_begin)


def is_expression(statement):
    """Whether tokens without their semicolon are an expression with an effect, no declaration."""
    first = statement[0]
    if first.text in NO_EXPRESSION or not (
        first.kind == "word" or first.text in ("++", "--", "*", "(")
    ):
        return False
    if any(token.text in IDLE_CALLS for token in statement):
        return False
    effect = first.text in ("++", "--")
    i = 0
    while i < len(statement):
        token = statement[i]
        if token.text in ("(", "[", "{"):
            effect = effect or token.text == "("
            i = closing(statement, i)
        elif token.text == "<" and (end := template_end(statement, i)) is not None:
            if end + 1 < len(statement) and statement[end + 1].kind == "word":
                return False  # std::vector<int> x
            i = end
        elif token.text == "=" or (token.text in ARITHMETIC or token.text in ("^=", "&=", "|=")):
            if token.text in ("*", "&") and not token.spaced:
                return False  # Type* x
            effect = effect or token.text.endswith("=") or token.text in ("++", "--")
            if token.text == "=":
                return True
        elif (token.kind == "word" and i + 1 < len(statement) and statement[i + 1].kind == "word"
              and token.text not in ("co_await", "delete", "new")):
            return False  # Type x
        i += 1
    return effect


def without_control(tokens, begin, end):
    """Where the statement begins that `if (…)`, `else` and the like control, and the last of
    them."""
    last = ""
    while begin < end:
        text = tokens[begin].text
        if text in ("else", "do"):
            last, begin = text, begin + 1
        elif text in ("if", "for", "while", "switch"):
            last, begin = text, begin + 1
            if tokens[begin].text == "constexpr":
                begin += 1
            begin = closing(tokens, begin) + 1
        else:
            break
    return begin, last


def scopes(tokens):
    """Ranges of droppable statements without their semicolons; of every token its context, and
    whether it is in a class but in no function."""
    stack = [Scope("file", "", 0)]
    contexts, in_class, statements = [], [], []
    head = 0

    def name():
        return "::".join(scope.name for scope in stack if scope.name)

    for i, token in enumerate(tokens):
        top = stack[-1]
        if token.text == "{":
            scope = scope_of_brace(tokens, i, top, head)
            stack.append(scope)
            if scope.kind not in ("braces", "brackets"):
                head = i + 1
        elif token.text in ("(", "["):
            stack.append(Scope("brackets", "", head))
        elif token.text in (")", "]", "}") and len(stack) > 1:
            stack.pop()
            inside = stack[-1].kind in ("brackets", "braces")
            head = top.head if inside or top.kind in ("brackets", "braces") else i + 1
        elif token.text == ";" and top.kind not in ("brackets", "braces"):
            begin, control = without_control(tokens, head, i)
            # What an `if` without `else` controls is dropped by a false condition.
            alone = control == "if" and tokens[i + 1].text != "else"
            if top.kind == "block" and begin < i and not alone:
                statement = tokens[begin:i]
                if (statement[0].text in ("throw", "continue", "break") or is_expression(statement)
                        or [t.text for t in statement] == ["return"]):
                    statements.append((begin, i))
            head = i + 1
        elif token.text == ":" and top.kind in ("block", "class") and (
            tokens[head].text in ("case", "default", "public", "private", "protected")
        ):
            head = i + 1
        elif token.kind == "directive":
            head = i + 1
        contexts.append(name())
        inner = next(scope.kind for scope in reversed(stack)
                     if scope.kind not in ("brackets", "braces"))
        in_class.append(inner == "class")
    return statements, contexts, in_class


def conditions(tokens):
    """Ranges of conditions of if and while that declare nothing, with what may replace them."""
    found = []
    for i, token in enumerate(tokens[:-1]):
        if token.text not in ("if", "while") or tokens[i + 1].text != "(":
            continue
        end = closing(tokens, i + 1)
        begin = i + 2
        depth = 0
        for k in range(i + 2, end):
            depth += (tokens[k].text in OPENING) - (tokens[k].text in OPENING.values())
            if tokens[k].text == ";" and depth == 0:
                begin = k + 1
        texts = [t.text for t in tokens[begin:end]]
        if "=" not in texts and len(texts) > 0 and texts not in (["true"], ["false"]):
            found.append((begin, end, ("true", "false") if token.text == "if" else ("false",)))
    return found


def next_number(text):
    """An integer or a decimal fraction, and one more; None for other literals."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F']+|[\d']+)([uUlLzZ]*)", text)
    if match:
        digits, suffix = match.group(1).replace("'", ""), match.group(2)
        if digits[:2] in ("0x", "0X"):
            return hex(int(digits, 16) + 1) + suffix
        return str(int(digits) + 1) + suffix
    match = re.fullmatch(r"(\d+)(\.\d*f?)", text)
    return str(int(match.group(1)) + 1) + match.group(2) if match else None


def sign_changes(tokens, i):
    """Kind and new text for an operator."""
    token = tokens[i]
    if token.text in ("++", "--"):
        if not in_loop_header(tokens, i, 40):  # any test finds that a loop runs backwards
            yield "arithmetic", ARITHMETIC[token.text]
    elif token.text == "!":
        yield "logic", ""
    elif not token.spaced:
        return
    elif token.text in COMPARISONS:
        yield "comparison", COMPARISONS[token.text]
    elif token.text in LOGIC:
        yield "logic", LOGIC[token.text]
    elif token.text in ARITHMETIC:
        beside = {tokens[i - 1].kind, tokens[i + 1].kind}
        if "string" not in beside and not (token.text in ("<<", ">>") and "number" not in beside):
            yield "arithmetic", ARITHMETIC[token.text]


def number_changes(tokens, i):
    before = tokens[i - 1]
    if tokens[i].text == "1" and before.text in ("+", "-") and before.spaced:
        yield "off by one", "0"
        yield "off by one", "2"
    elif tokens[i].text == "0" and before.text == "=" and in_loop_header(tokens, i):
        yield "off by one", "1"
    elif (more := next_number(tokens[i].text)) is not None:
        yield "constant", more


def in_loop_header(tokens, at, far=12):
    depth = 0
    for i in range(at - 1, max(0, at - far), -1):
        depth += (tokens[i].text == ")") - (tokens[i].text == "(")
        if depth < 0:
            return tokens[i - 1].text == "for"
    return False


def changes(tokens):
    """(first token, last token, kind, new text) of every change, in the order of the source."""
    skip = skipped(tokens)
    found = []
    statements, contexts, in_class = scopes(tokens)
    for i, token in enumerate(tokens):
        # The zero of a member is what it has until it gets its value: seldom more than a habit.
        idle = in_class[i] and token.text in ("0", "false")
        if i in skip or idle:
            continue
        if token.kind == "sign":
            found += [(i, i, kind, text) for kind, text in sign_changes(tokens, i)]
        elif token.kind == "number":
            found += [(i, i, kind, text) for kind, text in number_changes(tokens, i)]
        elif token.text in BOOLEANS:
            found.append((i, i, "constant", BOOLEANS[token.text]))
        elif token.text in WORDS and i + 1 < len(tokens) and tokens[i + 1].text in ("(", "<") and (
            tokens[i - 1].text in ("::", ".", "->")
        ):
            found.append((i, i, "word", WORDS[token.text]))
    for begin, end, texts in conditions(tokens):
        found += [(begin, end - 1, "condition", text) for text in texts if begin not in skip]
    for begin, end in statements:
        # A throw stays as it is, but can be dropped as a whole.
        if begin not in skip or tokens[begin].text == "throw":
            found.append((begin, end - 1, "statement", ""))
    found.sort(key=lambda change: (tokens[change[0]].begin, KINDS.index(change[2]), change[3]))
    return found, contexts


def mutants_of(file, source):
    """All mutants of a source. Their ids do not depend on what else is in the file."""
    tokens = tokens_of(source)
    found, contexts = changes(tokens)
    bare = without_comments(source)
    line_begins = [0] + [match.end() for match in re.finditer("\n", source)]
    seen, out = {}, []
    for first, last, kind, text in found:
        begin, end = tokens[first].begin, tokens[last].end
        text += "\n" * source.count("\n", begin, end)  # later lines keep their numbers
        line = bisect.bisect_right(line_begins, begin)
        line_begin = line_begins[line - 1]
        line_end = source.find("\n", end)
        line_end = len(source) if line_end < 0 else line_end
        before = " ".join(bare[line_begin:line_end].split())
        after = " ".join((bare[line_begin:begin] + text + bare[end:line_end]).split())
        if before == after:
            continue
        key = (file, contexts[first], kind, before, after)
        seen[key] = seen.get(key, 0) + 1
        identity = "\0".join(key + (str(seen[key]),))
        out.append(Mutant(hashlib.sha256(identity.encode()).hexdigest()[:10], file, contexts[first],
                          kind, before, after, line, begin, end, text))
    return out
