// SPDX-License-Identifier: Apache-2.0
// The table of verbs, in the order of the help.
#include <array>

#include "cli/verbs.hpp"

namespace weft::cli {

std::span<const Verb> verbs() {
  static constexpr std::array rows{
      Verb{"study", "compare routing engines on the topologies of a cluster",
           "weft study rhinet2 --engines updown dl:lanes=3 --csv study.csv", add_study},
      Verb{"reproduce", "reproduce a published paper, its numbers and claims beside ours",
           "weft reproduce ibamesh/mft", add_reproduce},
      Verb{"list", "the catalogues: topologies, engines, checks, formats and more",
           "weft list engines", add_list},
      Verb{"make", "make a fabric of the catalogue, or convert one between formats",
           "weft make torus:dims=4x4,hosts=4 -o torus.toml", add_make},
      Verb{"import", "read an InfiniBand subnet from the dumps of its subnet manager",
           "weft sample irr16; weft import irr16 -o subnet", add_import},
      Verb{"show", "describe a fabric, a switch, tables, a route between two hosts, or a cluster",
           "weft show torus:dims=4x4 --switch s5", add_show},
      Verb{"cluster", "write a cluster file from data sheets and two measurements, or copy one",
           "weft cluster new --topology clos2:leaves=8,spines=4,hosts=8 --link 100Gb/s -o my.toml",
           add_cluster},
      Verb{"route", "compute routing tables and check them",
           "weft route torus.toml dl:lanes=2 -o torus.tables --certificate torus.cert", add_route},
      Verb{"check", "check tables: reach, loops, hops, load, deadlock",
           "weft check fabric.ibnetdiscover opensm-lfts.dump --json findings.json", add_check},
      Verb{"diff", "compare two fabrics, expected against found, or two tables of one fabric",
           "weft diff torus.toml found.toml --json differences.json", add_diff},
      Verb{"verify", "verify a certificate of deadlock freedom with independent code",
           "weft verify torus.toml torus.tables torus.cert", add_verify},
      Verb{"sim", "simulate traffic flit by flit: latency, throughput, use of links",
           "weft sim mesh:dims=4x4 xy --traffic transpose --load 0.2 --links links.csv", add_sim},
      Verb{"sweep", "many simulations on all cores: load curves, saturation points",
           "weft sweep mesh xy --switch 'iq:lanes=[1,2]' --load '[0.1..0.4:0.1]' -o curve.csv",
           add_sweep},
      Verb{"merge", "the shards of a sweep, which ran apart from each other, become its results",
           "weft merge curve.csv.*-of-10.journal -o curve.csv", add_merge},
      Verb{"run", "run host programs on a simulated cluster: how long their iterations take",
           "weft run --cluster dane --hosts '[4,8]' "
           "'allreduce:algorithm=[ring,tree],bytes=[8..4k:x8]'",
           add_run},
      Verb{"replay",
           "replay traces of MPI programs on a simulated cluster: what they would take there",
           "weft replay npb/is.S.16.trace.zst --cluster rhinet2 --json a.json", add_replay},
      Verb{"compare", "replays side by side", "weft compare a.json b.json", add_compare},
      Verb{"qos", "flows that come and go: the bandwidth each was promised, and what it got",
           "weft qos premium --csv flows.csv --plot flows.svg", add_qos},
      Verb{"report",
           "results of weft, from their JSON files, as one page that opens in any browser",
           "weft report --fabric torus:dims=4x4,hosts=2 --tables dor updown -o torus.html",
           add_report},
      Verb{"trace", "traces of MPI programs: what they amount to, checks, other formats",
           "weft trace show ring.trace --json ring.json", add_trace},
      Verb{"mcast", "add a multicast group to tables",
           "weft mcast torus.toml torus.tables union --source h0 --members h1,h5,h9 -o both.tables",
           add_mcast},
      Verb{"order", "visiting order of a multicast by unicast messages, as CSV",
           "weft order rhinet2_a shio --root h0", add_order},
      Verb{"export", "write a fabric for Slurm, or tables for OpenSM, as these load them",
           "weft export slurm clos3:radix=8 -o topology.conf", add_export},
      Verb{"live", "route a subnet for OpenSM, whose plugin starts this verb",
           "weft live updown --try torus:dims=4x4", add_live},
      Verb{"sample", "write files of a real fabric to try weft on", "weft sample irr16",
           add_sample},
      Verb{"completion", "completion for a shell: bash, zsh or fish",
           "source <(weft completion bash)", add_completion},
      Verb{"help", "the help of a verb, or a topic: catalogues, inputs, results, options",
           "weft help sim", add_help},
  };
  return rows;
}

}  // namespace weft::cli
