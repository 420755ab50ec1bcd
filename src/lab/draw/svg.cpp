// SPDX-License-Identifier: Apache-2.0
// Text, numbers and style of pictures as SVG.
#include "lab/draw/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace weft::svg {
namespace {

constexpr std::string_view common_style = R"(<style>
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e }
  .grid { stroke: #d8dee4 } .axis { stroke: #59636e }
  text { font: 13px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif }
  .title { font-size: 16px; font-weight: 600 }
  .line { fill: none; stroke-linejoin: round } .dashed { stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #9aa4af }
    .grid { stroke: #2a313a } .axis { stroke: #9aa4af }
  }
)";

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(letter) < 0x20 ? '?' : letter;
    }
  }
  return out;
}

std::string cut(const std::string& text, std::size_t most) {
  if (letters_in(text) <= most) return text;
  std::size_t end = text.size();
  while (end > 0 && letters_in(std::string_view(text).substr(0, end)) >= most) --end;
  return text.substr(0, end) + "…";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t most) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (letters_in(line) + 1 + letters_in(word) <= most)
      line.append(" ").append(word);
    else
      lines.emplace_back(word);
  }
  return lines;
}

std::string pixels(double value) {
  std::string out = fmt::format("{:.1f}", value);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

void write_text(std::ostream& out, const Label& at, std::string_view text) {
  if (text.empty()) return;
  out << fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", at.look,
                     pixels(at.x), pixels(at.y), at.anchor, escaped(text));
}

void begin(std::ostream& out, const SvgPage& page, std::string_view style) {
  out << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n",
      pixels(page.width), pixels(page.height), escaped(page.title));
  out << common_style << style << "</style>\n"
      << "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
}

void end(std::ostream& out) { out << "</svg>\n"; }

}  // namespace weft::svg
