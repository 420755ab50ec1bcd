// SPDX-License-Identifier: Apache-2.0
// Drawing a fabric. Links of one colour are one path, so that the file of a large fabric is small.
#include "lab/draw/fabric_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "base/words.hpp"
#include "fabric/size_text.hpp"
#include "lab/draw/layout.hpp"
#include "lab/draw/svg.hpp"

namespace weft {
namespace {

using svg::pixels;

constexpr double heading = 56;        ///< above the canvas of the layout
constexpr std::size_t hot_count = 5;  ///< links that are named
constexpr double legend_row = 20, scale_width = 220;

/// From idle to busy: colour and width of a line.
struct Heat {
  std::string_view colour;
  double width;
};
constexpr std::array<Heat, 7> heats{{{"#9db2c6", 1.2},
                                     {"#6fa3d0", 1.5},
                                     {"#4fa58a", 1.9},
                                     {"#a9a13a", 2.3},
                                     {"#e0912b", 2.7},
                                     {"#dd5a2b", 3.1},
                                     {"#c9184a", 3.6}}};

constexpr std::string_view picture_style =
    R"(  .link { fill: none; stroke: #9aa4af; stroke-linecap: butt }
  .unused { fill: none; stroke: #9aa4af; stroke-width: 1; stroke-dasharray: 2 3 }
  .switch { fill: #2f5d8a } .host { fill: #7d8894 }
  .name { font-size: 11px } .mark { fill: #c9184a } .number { font-size: 10px; fill: #ffffff }
  .name, .hosts { paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
  .hosts { font-size: 10px }
  @media (prefers-color-scheme: dark) {
    .switch { fill: #6ea8dc } .name, .hosts { stroke: #0d1117 } .link, .unused { stroke: #59636e }
  }
)";

/// A link on paper: a quadratic curve from one switch to the other.
struct LinkCurve {
  Spot a, control, b;

  Spot middle() const { return {(a.x + 2 * control.x + b.x) / 4, (a.y + 2 * control.y + b.y) / 4}; }
  /// The half at the end `a`, by de Casteljau's subdivision.
  LinkCurve half() const { return {a, {(a.x + control.x) / 2, (a.y + control.y) / 2}, middle()}; }
  LinkCurve turned() const { return {b, control, a}; }
  bool straight() const {
    const double dx = (a.x + b.x) / 2 - control.x, dy = (a.y + b.y) / 2 - control.y;
    return std::abs(dx) + std::abs(dy) < 0.1;
  }
  std::string path() const {
    const std::string from = fmt::format("M{} {}", pixels(a.x), pixels(a.y));
    return straight() ? fmt::format("{}L{} {}", from, pixels(b.x), pixels(b.y))
                      : fmt::format("{}Q{} {} {} {}", from, pixels(control.x), pixels(control.y),
                                    pixels(b.x), pixels(b.y));
  }
};

/// The busiest link's load, or twice the mean: where all links are alike, none is hot.
double end_of_scale(const FabricPicture& picture) {
  double sum = 0, most = 0;
  for (const ChannelId c : picture.fabric.channels()) {
    sum += picture.loads->of[c];
    most = std::max(most, picture.loads->of[c]);
  }
  return std::max(most, 2 * sum / static_cast<double>(2 * picture.fabric.link_count()));
}

/// How many letters all names begin with, and end with, that say nothing: "MF0;" and ":MQM8700/U1"
/// of "MF0;leaf1:MQM8700/U1". Digits and letters next to what differs stay.
struct CommonLetters {
  std::size_t before = 0, behind = 0;

  explicit CommonLetters(const Fabric& fabric) {
    if (fabric.switch_count() < 2) return;
    const std::string& first = fabric[SwitchId(0)].name;
    before = behind = first.size();
    for (const SwitchId s : fabric.switches()) {
      const std::string& name = fabric[s].name;
      const auto front = std::mismatch(first.begin(), first.end(), name.begin(), name.end());
      const auto back = std::mismatch(first.rbegin(), first.rend(), name.rbegin(), name.rend());
      if (&name == &first) continue;
      before = std::min(before, static_cast<std::size_t>(front.first - first.begin()));
      behind = std::min(behind, static_cast<std::size_t>(back.first - first.rbegin()));
    }
    const auto is_word = [&](std::size_t at) {
      return std::isalnum(static_cast<unsigned char>(first[at])) != 0;
    };
    while (before > 0 && is_word(before - 1)) --before;
    while (behind > 0 && is_word(first.size() - behind)) --behind;
  }
  std::string shortened(const std::string& name) const {
    return before + behind < name.size() ? name.substr(before, name.size() - before - behind)
                                         : name;
  }
};

std::string number_text(double value, int places) { return fmt::format("{:.{}f}", value, places); }

class FabricDrawing {
 public:
  FabricDrawing(std::ostream& out, const FabricPicture& picture)
      : out_(out),
        picture_(picture),
        fabric_(picture.fabric),
        layout_(layout_of(picture.fabric)),
        common_(picture.fabric),
        radius_(std::clamp(layout_.pitch * 0.15, 2.5, 9.0)) {
    if (picture.loads == nullptr) return;
    hot_ = hot_channels(picture.loads->of, hot_count);
    if (!hot_.empty()) scale_end_ = end_of_scale(picture);
  }

  void write() {
    const double width = std::max(layout_.width, 520.0);
    left_ = (width - layout_.width) / 2;
    const double height = heading + layout_.height + legend_height();
    svg::begin(out_, {width, height, fabric_.name()}, picture_style);
    const auto letters = static_cast<std::size_t>((width - 40) / 9);
    svg::write_text(out_, {20, 26, "ink title", "start"}, svg::cut(fabric_.name(), letters));
    svg::write_text(out_, {20, 45, "soft", "start"}, subtitle());
    out_ << fmt::format("<g transform=\"translate({} {})\">\n", pixels(left_), pixels(heading));
    picture_.loads == nullptr ? write_plain_links() : write_loaded_links();
    write_switches();
    write_labels();
    write_marks();
    out_ << "</g>\n";
    if (picture_.loads != nullptr) write_legend(heading + layout_.height + 8, width);
    svg::end(out_);
  }

 private:
  std::string subtitle() const {
    return size_text(fabric_) + (picture_.note.empty() ? "" : "; " + picture_.note);
  }

  double legend_height() const {
    return picture_.loads == nullptr ? 0 : 56 + legend_row * static_cast<double>(hot_.size() + 1);
  }

  LinkCurve curve(LinkId id) const {
    const Spot a = layout_.at[fabric_[id].a.on], b = layout_.at[fabric_[id].b.on];
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double length = std::max(1e-9, std::sqrt(dx * dx + dy * dy));
    const double bow = 2 * layout_.bow[id] / length;  // a curve goes half as far as its control
    return {a, {(a.x + b.x) / 2 + bow * dy, (a.y + b.y) / 2 - bow * dx}, b};
  }
  /// The half of a link that shows this direction.
  LinkCurve half(ChannelId c) const {
    const LinkCurve whole = curve(link_of(c));
    return fabric_.from(c) == fabric_[link_of(c)].a.on ? whole.half() : whole.turned().half();
  }

  /// Many links are thin ones.
  double line_width() const {
    return std::clamp(2000 / static_cast<double>(fabric_.link_count() + 1), 0.25, 1.0);
  }

  void write_plain_links() {
    std::string path;
    for (const LinkId id : fabric_.links()) path += curve(id).path();
    if (!path.empty())
      out_ << fmt::format("<path class=\"link\" stroke-width=\"{:.2g}\" d=\"{}\"/>\n",
                          1.2 * line_width(), path);
  }

  std::size_t heat_of(double load) const {
    const auto step = static_cast<std::size_t>(std::floor(load / scale_end_ * heats.size()));
    return std::min(step, heats.size() - 1);
  }

  /// The busiest on top.
  void write_loaded_links() {
    std::string unused;
    std::array<std::string, heats.size()> paths;
    for (const ChannelId c : fabric_.channels()) {
      const double load = picture_.loads->of[c];
      (load > 0 ? paths[heat_of(load)] : unused) += half(c).path();
    }
    if (!unused.empty()) out_ << fmt::format("<path class=\"unused\" d=\"{}\"/>\n", unused);
    const double thin = line_width();
    for (std::size_t i = 0; i < heats.size(); ++i)
      if (!paths[i].empty())
        out_ << fmt::format(
            "<path class=\"line\" stroke=\"{}\" stroke-width=\"{:.2g}\" d=\"{}\"/>\n",
            heats[i].colour, heats[i].width * thin, paths[i]);
  }

  void write_switches() {
    for (const SwitchId s : fabric_.switches()) {
      const Spot at = layout_.at[s];
      write_hosts(s, at);
      out_ << fmt::format(
          "<rect class=\"switch\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"><title>{}"
          "</title></rect>\n",
          pixels(at.x - radius_), pixels(at.y - radius_), pixels(2 * radius_), pixels(2 * radius_),
          svg::escaped(about(s)));
    }
    for (const SwitchId s : fabric_.switches()) write_name(s, layout_.at[s]);
  }

  std::string about(SwitchId s) const {
    const std::size_t hosts = fabric_.hosts_on(s).size();
    return fabric_[s].name + (hosts == 0 ? "" : ", " + counted(hosts, "host", "hosts"));
  }

  /// Names are shown where they fit.
  void write_name(SwitchId s, Spot at) {
    constexpr double letter = 6.2;
    const auto room = static_cast<std::size_t>(layout_.pitch * 1.1 / letter);
    const std::string name = svg::cut(common_.shortened(fabric_[s].name), 24);
    if (layout_.pitch < 28 || svg::letters_in(name) > std::max<std::size_t>(room, 4)) return;
    svg::write_text(out_, {at.x - radius_ - 2, at.y - radius_ - 2, "soft name", "end"}, name);
  }

  /// Points in rows below the switch, or a number where they are too many for its room.
  void write_hosts(SwitchId s, Spot at) {
    constexpr double step = 5.5;
    const std::size_t hosts = fabric_.hosts_on(s).size();
    if (hosts == 0 || layout_.pitch < 14) return;
    const std::size_t row = std::max<std::size_t>(
        1, static_cast<std::size_t>(layout_.pitch * (layout_.hosts_below ? 0.8 : 0.35) / step));
    const double top = at.y + radius_ + 6;
    if (hosts > 3 * row) {
      const double x = layout_.hosts_below ? at.x : at.x + radius_ + 3;
      return svg::write_text(
          out_, {x, top + 5, "soft hosts", layout_.hosts_below ? "middle" : "start"},
          layout_.pitch < 60 ? fmt::format("+{}", hosts) : counted(hosts, "host", "hosts"));
    }
    const std::size_t in_row = std::min(row, hosts);
    const double left = layout_.hosts_below ? at.x - step * static_cast<double>(in_row - 1) / 2
                                            : at.x + radius_ + 4;
    std::string path;
    for (std::size_t i = 0; i < hosts; ++i) {
      const std::size_t line = i / in_row, place = i % in_row;
      path += fmt::format("M{} {}h3v3h-3z", pixels(left - 1.5 + step * static_cast<double>(place)),
                          pixels(top + step * static_cast<double>(line) - 1.5));
    }
    out_ << fmt::format("<path class=\"host\" d=\"{}\"/>\n", path);
  }

  void write_labels() {
    for (const LayoutLabel& label : layout_.labels)
      svg::write_text(out_, {label.at.x, label.at.y, "soft name", "start"}, label.text);
  }

  /// A number on the half of each hot link, nearer to its switch than to the middle.
  void write_marks() {
    for (std::size_t i = 0; i < hot_.size(); ++i) write_mark(half(hot_[i]).middle(), i + 1);
  }
  void write_mark(Spot at, std::size_t number) {
    out_ << fmt::format("<circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"7\"/>\n", pixels(at.x),
                        pixels(at.y));
    svg::write_text(out_, {at.x, at.y + 3.5, "number", "middle"}, std::to_string(number));
  }

  void write_legend(double y, double width) {
    const LoadMap& loads = *picture_.loads;
    if (hot_.empty())
      return svg::write_text(out_, {20, y + 14, "soft", "start"},
                             fmt::format("no link between switches carries any {}", loads.unit));
    const double step = scale_width / heats.size();
    for (std::size_t i = 0; i < heats.size(); ++i)
      out_ << fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\" fill=\"{}\"/>\n",
                          pixels(20 + step * static_cast<double>(i)), pixels(y), pixels(step),
                          heats[i].colour);
    svg::write_text(out_, {20, y + 26, "soft name", "start"}, "0");
    svg::write_text(out_, {20 + scale_width, y + 26, "soft name", "middle"},
                    number_text(scale_end_, loads.places));
    svg::write_text(out_, {32 + scale_width, y + 10, "soft", "start"},
                    loads.unit + " that leave the switch at this end");
    for (std::size_t i = 0; i < hot_.size(); ++i) {
      const double line = y + 44 + legend_row * static_cast<double>(i);
      write_mark({28, line - 4}, i + 1);
      svg::write_text(
          out_, {44, line, "ink", "start"},
          svg::cut(fmt::format("{}: {} {}", channel_text(fabric_, hot_[i]),
                               number_text(loads.of[hot_[i]], loads.places), loads.unit),
                   static_cast<std::size_t>((width - 60) / svg::letter_width)));
    }
    svg::write_text(out_,
                    {44, y + 44 + legend_row * static_cast<double>(hot_.size()), "soft", "start"},
                    equally_hot_text(loads.of, hot_));
  }

  std::ostream& out_;
  const FabricPicture& picture_;
  const Fabric& fabric_;
  const FabricLayout layout_;
  const CommonLetters common_;
  double radius_;  ///< half the side of a switch
  double left_ = 0;
  std::vector<ChannelId> hot_{};
  double scale_end_ = 1;
};

}  // namespace

void write_svg(std::ostream& out, const FabricPicture& picture) {
  FabricDrawing(out, picture).write();
}

}  // namespace weft
