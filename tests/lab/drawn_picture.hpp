// SPDX-License-Identifier: Apache-2.0
// A picture as it was drawn: its elements, and what of it lies outside its edges.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "lab/draw/svg.hpp"
#include "lab/report/chart.hpp"

namespace weft::test {

struct DrawnPicture {
  template <class Picture>
  explicit DrawnPicture(const Picture& picture) {
    std::ostringstream out;
    write_svg(out, picture);
    text = out.str();
    const auto parsed = page.load_string(text.c_str(), pugi::parse_full);
    EXPECT_TRUE(parsed) << parsed.description() << '\n' << text;
  }
  std::string text;
  pugi::xml_document page{};

  pugi::xpath_node_set all(const std::string& path) const {
    return page.select_nodes(path.c_str());
  }
  std::vector<std::string> values(const std::string& path, const char* attribute) const {
    std::vector<std::string> out;
    for (const auto& found : all(path)) out.emplace_back(found.node().attribute(attribute).value());
    return out;
  }
  std::vector<double> numbers(const std::string& path, const char* attribute) const {
    std::vector<double> out;
    for (const auto& found : all(path))
      out.push_back(found.node().attribute(attribute).as_double());
    return out;
  }
  std::vector<std::string> words(const std::string& path) const {
    std::vector<std::string> out;
    for (const auto& found : all(path)) out.emplace_back(found.node().text().get());
    return out;
  }
  std::vector<std::string> paths(const std::string& look) const {
    return values("//path[@class='" + look + "']", "d");
  }

  /// Elements that are not within the picture.
  std::vector<std::string> outside() const {
    std::vector<std::string> out;
    for (const auto& found : all("//text"))
      if (!holds_text(found.node())) out.emplace_back(found.node().text().get());
    for (const auto& found : all("//circle | //rect[@class='column'] | //line"))
      if (!holds_shape(found.node())) out.emplace_back(found.node().name());
    for (const std::string& path : values("//path[not(ancestor::defs)]", "d"))
      if (!holds_path(path)) out.push_back(path);
    return out;
  }

 private:
  bool holds(double x, double y) const {
    const pugi::xml_node root = page.child("svg");
    return x >= 0 && y >= 0 && x <= root.attribute("width").as_double() &&
           y <= root.attribute("height").as_double();
  }
  /// By the corners of its box; turned text leans to the upper right.
  bool holds_text(const pugi::xml_node& node) const {
    const bool is_title = std::string(node.attribute("class").value()).ends_with("title");
    const double width = static_cast<double>(svg::letters_in(node.text().get())) *
                         (is_title ? svg::title_letter_width : svg::letter_width);
    const std::string anchor = node.attribute("text-anchor").value();
    const double begin = anchor == "start" ? 0 : anchor == "end" ? -width : -width / 2;
    double degrees = 0;
    std::istringstream(std::string(node.attribute("transform").value()).erase(0, 7)) >> degrees;
    const double turn = degrees * std::acos(-1.0) / 180;
    for (const double dx : {begin, begin + width})
      for (const double dy : {-11.0, 3.0})
        if (!holds(node.attribute("x").as_double() + dx * std::cos(turn) - dy * std::sin(turn),
                   node.attribute("y").as_double() + dx * std::sin(turn) + dy * std::cos(turn)))
          return false;
    return true;
  }
  bool holds_shape(const pugi::xml_node& node) const {
    const auto number = [&](const char* name) { return node.attribute(name).as_double(); };
    const double radius = number("r");
    const double x = number("cx") + number("x") + number("x1");
    const double y = number("cy") + number("y") + number("y1");
    return holds(x - radius, y - radius) && holds(x + radius, y + radius) &&
           holds(x + number("width"), y + number("height")) && number("height") >= 0 &&
           holds(number("x2"), number("y2"));
  }
  /// By its absolute places.
  bool holds_path(const std::string& path) const {
    std::istringstream in(path);
    for (std::string word; in >> word;) {
      const double first = word.size() > 1 ? std::atof(word.c_str() + 1) : 0;
      double second = 0;
      if (word[0] == 'M' || word[0] == 'L') in >> second;
      if (std::string("MLHV").find(word[0]) == std::string::npos) continue;
      if (word[0] == 'V' ? !holds(0, first) : !holds(first, second)) return false;
    }
    return true;
  }
};

}  // namespace weft::test
