// SPDX-License-Identifier: Apache-2.0
// GraphML. A node is a switch unless its data "kind" says host; a host has one edge, to its switch.
// Data of nodes: kind, name (or else the id), ports, guid, port_guid, lid, nic_port, at ("0 1").
// Data of edges: speed, delay, source_port, target_port (the switch's; 0 or none: a free one).
// Graphs of other programs (networkx and the like) read as switches; data of other names is
// ignored.
#include <algorithm>
#include <pugixml.hpp>
#include <unordered_map>

#include "fabric/format/formats.hpp"
#include "fabric/format/keys.hpp"
#include "fabric/format/parsing/draft.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::graphml {
namespace {

// --- reading

class GraphmlReader {
 public:
  explicit GraphmlReader(const Source& source) : source_(source) {
    for (std::size_t at = 0; (at = source.text.find('\n', at)) != std::string::npos; ++at)
      line_ends_.push_back(at);
    const auto result = document_.load_buffer(source.text.data(), source.text.size(),
                                              pugi::parse_default | pugi::parse_ws_pcdata_single,
                                              pugi::encoding_utf8);
    if (!result)
      fail(source, line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, result.offset))),
           "not XML: {}", result.description());
  }

  Fabric read() {
    const pugi::xml_node root = document_.child("graphml");
    graph_ = root.child("graph");
    if (!graph_) fail(source_, 1, "there is no <graph> in a <graphml>");
    if (graph_.attribute("edgedefault").as_string() == std::string_view("directed"))
      fail(source_, line(graph_), "a directed graph; links go both ways, so make it undirected");
    for (const pugi::xml_node key : root.children("key"))
      keys_.emplace(key.attribute("id").as_string(),
                    key.attribute("attr.name").as_string(key.attribute("id").as_string()));
    Data data(*this, graph_);
    Draft draft(source_, std::string(data["name"].value_or(stem(source_))));
    for (const pugi::xml_node node : graph_.children("node")) add_node(draft, node);
    for (const pugi::xml_node edge : graph_.children("edge")) add_edge(edge);
    for (auto& [host, at] : hosts_) {
      if (!host.on.valid())
        fail(source_, at, "host \"{}\" has no edge; it needs one", shown(host.name));
      draft.add(std::move(host), at);
    }
    for (const auto& [link, at] : links_) draft.add(link, at);
    return std::move(draft).build();
  }

 private:
  /// The <data> below a node, edge or graph, by the name that its <key> declares.
  class Data {
   public:
    Data(const GraphmlReader& reader, pugi::xml_node of) : reader_(reader), line_(reader.line(of)) {
      for (const pugi::xml_node data : of.children("data")) {
        const std::string_view id = data.attribute("key").as_string();
        const auto key = reader.keys_.find(std::string(id));
        values_.emplace(key == reader.keys_.end() ? id : key->second, data.text().as_string());
      }
    }
    std::optional<std::string_view> operator[](std::string_view name) const {
      const auto found = values_.find(name);
      if (found == values_.end()) return std::nullopt;
      return found->second;
    }
    template <class Number>
    Number number(std::string_view name, Number otherwise, Number most) const {
      const auto text = (*this)[name];
      if (!text) return otherwise;
      const auto value = number_from<Number>(*text);
      if (!value || *value > most)
        fail(reader_.source_, line_, "{}: \"{}\" is not a whole number up to {}", name,
             shown(*text), most);
      return *value;
    }
    Guid guid(std::string_view name) const {
      const auto text = (*this)[name];
      const auto value = text ? guid_from(*text) : Guid{0};
      if (!value)
        fail(reader_.source_, line_, "{}: \"{}\" is not a GUID; write 0x0002c90200000001", name,
             shown(*text));
      return *value;
    }
    std::vector<int> coordinates() const {
      std::vector<int> out;
      std::string_view rest = (*this)["at"].value_or("");
      for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
        const auto value = number_from<int>(word);
        if (!value)
          fail(reader_.source_, line_, "at: \"{}\" is not a coordinate; write 0 1", shown(word));
        out.push_back(*value);
      }
      return out;
    }
    Wire wire() const {
      Wire wire;
      try {
        if (const auto text = (*this)["speed"]) wire.speed = bandwidth_from(*text);
        if (const auto text = (*this)["delay"]) wire.delay = delay_from(*text);
      } catch (const Error& error) {
        fail(reader_.source_, line_, "{}", error.what());
      }
      if (wire.speed.bits_per_second == 0)
        fail(reader_.source_, line_, "a link needs a speed above zero");
      return wire;
    }

   private:
    const GraphmlReader& reader_;
    std::size_t line_;
    std::unordered_map<std::string_view, std::string_view> values_;
  };

  /// Either a switch or the place of a host in hosts_.
  struct Vertex {
    SwitchId node{};
    std::size_t host = 0;
  };

  std::size_t line_at(std::size_t offset) const {
    const auto end = std::lower_bound(line_ends_.begin(), line_ends_.end(), offset);
    return static_cast<std::size_t>(end - line_ends_.begin()) + 1;
  }
  std::size_t line(pugi::xml_node node) const {
    return line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug())));
  }

  void add_node(Draft& draft, pugi::xml_node node) {
    const Data data(*this, node);
    const std::string id = node.attribute("id").as_string();
    std::string name(data["name"].value_or(id));
    const std::string_view kind = data["kind"].value_or("switch");
    Vertex vertex;
    if (kind == "host") {
      vertex.host = hosts_.size();
      Host h;
      h.name = std::move(name);
      h.guid = data.guid("guid");
      h.port_guid = data.guid("port_guid");
      h.lid = data.number<Lid>("lid", 0, 65535);
      h.nic_port = data.number<PortNumber>("nic_port", 1, most_ports);
      hosts_.push_back({std::move(h), line(node)});
    } else if (kind == "switch") {
      const auto ports = data.number<PortNumber>("ports", 0, most_ports);
      vertex.node = draft.add({std::move(name), ports, data.guid("guid"),
                               data.number<Lid>("lid", 0, 65535), data.coordinates()},
                              line(node));
    } else {
      fail(source_, line(node), "kind \"{}\" is neither switch nor host", shown(kind));
    }
    if (!vertices_.emplace(id, vertex).second)
      fail(source_, line(node), "node \"{}\" appears twice", shown(id));
  }

  const Vertex& end(pugi::xml_node edge, const char* which) const {
    const std::string id = edge.attribute(which).as_string();
    const auto found = vertices_.find(id);
    if (found == vertices_.end())
      fail(source_, line(edge), "the {} of the edge is \"{}\", which is no node", which, shown(id));
    return found->second;
  }

  void add_edge(pugi::xml_node edge) {
    const Data data(*this, edge);
    const Vertex& a = end(edge, "source");
    const Vertex& b = end(edge, "target");
    const auto a_port = data.number<PortNumber>("source_port", 0, most_ports);
    const auto b_port = data.number<PortNumber>("target_port", 0, most_ports);
    if (a.node.valid() && b.node.valid())
      links_.push_back({{{a.node, a_port}, {b.node, b_port}, data.wire()}, line(edge)});
    else if (a.node.valid())
      attach(edge, hosts_[b.host].value, {a.node, a_port});
    else if (b.node.valid())
      attach(edge, hosts_[a.host].value, {b.node, b_port});
    else
      fail(source_, line(edge), "an edge from host to host; hosts need a switch between them");
  }

  void attach(pugi::xml_node edge, Host& host, LinkEnd to) const {
    if (host.on.valid())
      fail(source_, line(edge), "host \"{}\" has a second edge; one is possible", shown(host.name));
    host.on = to.on;
    host.port = to.port;
    host.wire = Data(*this, edge).wire();
  }

  const Source& source_;
  std::vector<std::size_t> line_ends_;
  pugi::xml_document document_;
  pugi::xml_node graph_;
  std::unordered_map<std::string, std::string_view> keys_;
  std::unordered_map<std::string, Vertex> vertices_;
  std::vector<AtLine<Host>> hosts_;
  std::vector<AtLine<Link>> links_;
};

// --- writing

void add(pugi::xml_node to, const char* key, const std::string& value) {
  pugi::xml_node data = to.append_child("data");
  data.append_attribute("key") = key;
  data.text() = value.c_str();
}
void add_guid(pugi::xml_node to, const char* key, Guid guid) {
  if (guid != 0) add(to, key, fmt::format("0x{:016x}", guid));
}

void declare_keys(pugi::xml_node root) {
  const auto declare = [&](const char* of, std::span<const FileKey> keys) {
    for (const FileKey& described : keys) {
      const std::string name(described.name);
      pugi::xml_node key = root.append_child("key");
      key.append_attribute("id") = name.c_str();
      key.append_attribute("for") = of;
      key.append_attribute("attr.name") = name.c_str();
      key.append_attribute("attr.type") = "string";
    }
  };
  declare("all", graphml_name_keys);
  declare("node", graphml_node_keys);
  declare("edge", graphml_edge_keys);
}

pugi::xml_node add_node(pugi::xml_node graph, const std::string& id, const std::string& name) {
  pugi::xml_node node = graph.append_child("node");
  node.append_attribute("id") = id.c_str();
  add(node, "name", name);
  return node;
}

struct GraphmlEdge {
  std::string source, target;
  PortNumber source_port, target_port;
  Wire wire;
};

void add_edge(pugi::xml_node graph, const GraphmlEdge& given) {
  pugi::xml_node edge = graph.append_child("edge");
  edge.append_attribute("source") = given.source.c_str();
  edge.append_attribute("target") = given.target.c_str();
  if (given.source_port != 0) add(edge, "source_port", fmt::to_string(given.source_port));
  add(edge, "target_port", fmt::to_string(given.target_port));
  add(edge, "speed", to_text(given.wire.speed));
  add(edge, "delay", to_text(given.wire.delay));
}

std::string id(SwitchId s) { return fmt::format("s{}", s.index()); }
std::string id(HostId h) { return fmt::format("h{}", h.index()); }

void add_switch(pugi::xml_node graph, const Fabric& fabric, SwitchId s) {
  const Switch& data = fabric[s];
  const pugi::xml_node node = add_node(graph, id(s), data.name);
  add(node, "kind", "switch");
  add(node, "ports", fmt::to_string(data.ports));
  add_guid(node, "guid", data.guid);
  if (data.lid != 0) add(node, "lid", fmt::to_string(data.lid));
  if (!data.at.empty()) add(node, "at", fmt::format("{}", fmt::join(data.at, " ")));
}

void add_host(pugi::xml_node graph, const Fabric& fabric, HostId h) {
  const Host& data = fabric[h];
  const pugi::xml_node node = add_node(graph, id(h), data.name);
  add(node, "kind", "host");
  add_guid(node, "guid", data.guid);
  add_guid(node, "port_guid", data.port_guid);
  if (data.lid != 0) add(node, "lid", fmt::to_string(data.lid));
  if (data.nic_port != 1) add(node, "nic_port", fmt::to_string(data.nic_port));
}

}  // namespace

Fabric read(const Source& source) { return GraphmlReader(source).read(); }

void write(std::ostream& stream, const Fabric& fabric) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("graphml");
  root.append_attribute("xmlns") = "http://graphml.graphdrawing.org/xmlns";
  declare_keys(root);
  pugi::xml_node graph = root.append_child("graph");
  graph.append_attribute("edgedefault") = "undirected";
  add(graph, "name", fabric.name());
  for (SwitchId s : fabric.switches()) add_switch(graph, fabric, s);
  for (HostId h : fabric.hosts()) add_host(graph, fabric, h);
  for (HostId h : fabric.hosts())
    add_edge(graph, {id(h), id(fabric[h].on), 0, fabric[h].port, fabric[h].wire});
  for (LinkId l : fabric.links()) {
    const auto& [a, b, wire] = fabric[l];
    add_edge(graph, {id(a.on), id(b.on), a.port, b.port, wire});
  }
  document.save(stream, " ");
}

bool recognises(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<' &&
         text.substr(0, 1 << 16).find("<graphml") != std::string_view::npos;
}

}  // namespace weft::graphml
