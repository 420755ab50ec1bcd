// SPDX-License-Identifier: Apache-2.0
// Writes the data of a page into the template.
#include "lab/page/html_page.hpp"

#include <zlib.h>

#include <ostream>
#include <set>

#include "base/base64.hpp"
#include "base/compressed.hpp"
#include "base/error.hpp"
#include "lab/embedded.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

/// Data of more bytes are compressed.
constexpr std::size_t large_data = 200'000;

constexpr std::string_view plain_data = "<script type=\"application/json\" id=\"weft-data\">";
constexpr std::string_view compressed_data = "<script type=\"application/gzip\" id=\"weft-data\">";

std::string gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int as_gzip = 16 + MAX_WBITS, memory = 8;
  invariant(deflateInit2(&stream, 9, Z_DEFLATED, as_gzip, memory, Z_DEFAULT_STRATEGY) == Z_OK,
            "zlib does not start");
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  invariant(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib does not come to its end");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// JSON that cannot end the element it stands in, whatever its strings hold.
std::string within_html(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

/// "rows", "rows-2": an id that no section before has.
std::string unused_id(const std::string& id, std::set<std::string>& used) {
  std::string out = id;
  for (int number = 2; !used.insert(out).second; ++number) out = fmt::format("{}-{}", id, number);
  return out;
}

nlohmann::ordered_json document_of(const HtmlPage& page) {
  nlohmann::ordered_json made{{"command", page.command},
                              {"version", fmt::format("{}, revision {}", version(), revision())}};
  if (page.seed) made["seed"] = std::to_string(*page.seed);  // numbers of scripts have 53 bits
  made["specs"] = nlohmann::ordered_json::array();
  for (const PageSpec& spec : page.specs)
    made["specs"].push_back({{"name", spec.name}, {"value", spec.value}});
  std::set<std::string> used;
  nlohmann::ordered_json sections = nlohmann::ordered_json::array();
  for (PageSection section : page.sections) {
    section["id"] = unused_id(section["id"], used);
    sections.push_back(std::move(section));
  }
  return {{"title", page.title}, {"made", made}, {"sections", sections}};
}

}  // namespace

nlohmann::ordered_json page_columns(std::initializer_list<const char*> names) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const char* name : names) out[name] = nlohmann::ordered_json::array();
  return out;
}

void write_html(std::ostream& out, const HtmlPage& page) {
  constexpr std::string_view place = "<!-- weft: data -->";
  const std::string_view page_template = embedded_page();
  const std::size_t at = page_template.find(place);
  invariant(at != std::string_view::npos, "the template of pages has no place for data");
  const std::string json =
      document_of(page).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  out << page_template.substr(0, at);
  if (json.size() > large_data)
    out << compressed_data << base64(gzipped(json));
  else
    out << plain_data << within_html(json);
  out << "</script>" << page_template.substr(at + place.size());
}

nlohmann::ordered_json page_data(std::string_view html, const std::string& name) {
  const auto between = [&](std::string_view before) -> std::optional<std::string> {
    const std::size_t found = html.find(before);
    if (found == std::string_view::npos) return {};
    const std::size_t begin = found + before.size(), end = html.find("</script>", begin);
    if (end == std::string_view::npos) throw Error("{}: the page ends in the middle", name);
    return std::string(html.substr(begin, end - begin));
  };
  if (const auto plain = between(plain_data)) return nlohmann::ordered_json::parse(*plain);
  if (const auto packed = between(compressed_data))
    return nlohmann::ordered_json::parse(decompressed(from_base64(*packed), name));
  throw Error("{}: a page, but none of weft: there are no data in it", name);
}

}  // namespace weft
