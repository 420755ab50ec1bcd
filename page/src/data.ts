// SPDX-License-Identifier: Apache-2.0
// The data of a page, as weft (src/lab/page) writes them into it: the interface between the two.

export interface Page {
  title: string;
  made: Made;
  sections: Section[];
}

/** What made the page; all of it is shown at its top. */
export interface Made {
  command: string;
  version: string; // with the revision
  seed?: string;
  specs: { name: string; value: string }[]; // "topology", "engine", "switch", …
}

export type Section =
  | FabricSection
  | ChartsSection
  | RowsSection
  | TimelineSection
  | PaperSection;

interface SectionBase {
  id: string; // letters, digits and dashes; unique in the page: the fragment of its address
  title: string;
  note?: string; // a sentence or two below the title
}

// --- the fabric, its routes and its proof ----------------------------------------------------------

/** Columns of equal length: one entry per switch, host or link. */
export interface FabricSection extends SectionBase {
  kind: "fabric";
  layout: string; // "grid", "levels", "circle", "groups", "force"
  width: number; // of the canvas that the coordinates are on, from the top left
  height: number;
  /** Addresses, "LID 5, GUID 0x2c9020040f0f8", are there if the fabric has them: they can be searched. */
  switches: { name: string[]; x: number[]; y: number[]; ports: number[]; address?: string[] };
  hosts: { name: string[]; on: number[]; port: number[]; address?: string[] };
  /** Link k joins port a_port of switch a and port b_port of b; its channels are 2k (a to b), 2k+1. */
  links: {
    a: number[];
    a_port: number[];
    b: number[];
    b_port: number[];
    speed: string[]; // as words: "100Gb/s"
    bow: number[]; // how far its middle lies beside the straight line; 0 for most
  };
  labels: { x: number; y: number; text: string }[]; // of levels and groups
  routings: Routing[]; // several: to be compared side by side
  compared?: [number, number]; // routings that are shown side by side at first
  loads: LinkLoads[]; // measured ones
  marks: FabricMark[]; // what differs from what was expected, what failed, the path of a job
}

/** What links carried in a simulation. One value for each channel and time. */
export interface LinkLoads {
  name: string; // "simulated use of links"
  unit: string; // "flits/cycle", or "" where values are shares up to 1
  times: number[]; // where each sample begins, in us; one entry: a mean of the whole run
  values: number[][]; // by time, then channel
}

export interface FabricMark {
  name: string; // "missing cables"
  colour: "bad" | "warning" | "good";
  switches: number[];
  links: number[];
  hosts: number[];
}

export interface Routing {
  engine: string;
  lanes: number;
  /** Routes over each channel: computers to computers. */
  load: number[];
  /** Missing where the tables are too large for a page. */
  paths?: DestinationPaths | SourcePaths | ChoicePaths;
  lane_rule?: LaneRule;
  groups: MulticastGroup[];
  proof?: Proof;
}

/** Out-port of each switch, by column; host h is reached by column column_of[h]. */
export interface DestinationPaths {
  form: "destination";
  column_of: number[];
  /** Base64 of 16-bit numbers, low byte first: [column][switch]; 0: here, 65535: no route. */
  next: string;
}

/** Lists of ports from a source switch to a column. A tag from `first_group` on names a group of ports, of
 * which the switch may take any. After the list comes the host's own port, unless it ends with it. */
export interface SourcePaths {
  form: "source";
  column_of: number[];
  routes: (number[] | null)[]; // column * switches + source switch
  first_group: number;
  port_groups: number[][];
}

/** Entries that name sets of candidates; a packet has a phase, which says which column steers it. */
export interface ChoicePaths {
  form: "choice";
  column_of: number[]; // of phases without their own
  /** Base64 of numbers of so many bytes, low byte first: [row][switch]; 0: here, 1: no route, else set + 2. A set
   * that delivers to the only host of a column is `here`. */
  width: number;
  entries: string;
  row_of: number[]; // by column; -1: nobody follows it
  /** Candidates, set by set, in the order of preference; lane -1: by the rule for lanes. */
  sets: { size: number[]; port: number[]; lane: number[]; phase: number[]; preference: number[] };
  phases: ChoicePhase[];
  starts: number[]; // phases in which packets start
  start_rule: "random" | "queue" | "level"; // level: start i is that of service level i, the last of all others
  intermediates?: Intermediates;
}

export interface ChoicePhase {
  name: string;
  to_intermediate: boolean;
  column_of?: number[];
  next?: number; // the phase behind the intermediate destination
  detour?: number; // where a packet is in this phase it may go to an intermediate destination, in that one
}

export interface Intermediates {
  columns: number[];
  rule: "any" | "elsewhere" | "between" | "aligned" | "up_to_last";
  region?: number[]; // by switch; missing: each is a region of its own
  at?: number[][]; // coordinates by switch
}

export type LaneRule =
  | { form: "one" } // all on lane 0
  | { form: "unknown" } // imported without service levels
  /** Lane code by (switch, in-port, out-port), ports from 0, the host's included: below 128 that lane; 128:
   * keep; 129: one more; 130: one less; 255: not allowed. Base64 bytes; begin[s] + in * width[s] + out. */
  | { form: "turns"; begin: number[]; width: number[]; ops: string }
  /** Service level by [column][source switch, or source host if by_host]: base64 bytes. Then the lane is that
   * level, or by map: lane[map_begin[s] + ((in * (ports[s] + 1)) + out) * levels + level]. */
  | {
      form: "levels";
      level: string;
      by_host: boolean;
      map?: { begin: number[]; levels: number; lane: string };
    };

export interface MulticastGroup {
  name: string;
  members: number[]; // hosts
  source?: number; // host
  root?: number; // switch
  lane: number;
  /** Copies: out-ports by switch; and the ports towards the root. */
  out: { on: number; ports: number[] }[];
  up: { on: number; port: number }[];
}

export interface Proof {
  verdict: "free" | "deadlock" | "unknown";
  summary: string; // one sentence
  words: string[]; // the argument, step by step
  channels: number; // with lanes
  dependencies: number;
  /** A certificate: channels in an order that every dependency increases. Missing where it is long. */
  order?: { channel: number[]; lane: number[] };
  /** A cycle: what holds one channel waits for the next; the last waits for the first. */
  cycle?: ProofWait[];
}

export interface ProofWait {
  channel: number;
  lane: number;
  /** The route, or multicast group, that holds this channel and wants the next. */
  from?: number; // hosts
  to?: number;
  group?: string;
  text: string; // the wait in words
}

// --- curves ----------------------------------------------------------------------------------------

export interface ChartsSection extends SectionBase {
  kind: "charts";
  charts: AnyChart[];
  columns?: number; // charts beside each other, where there is room
}

export type AnyChart = LineChart | BarChart | ColumnChart;

export interface LineChart {
  form: "lines";
  title: string;
  note?: string;
  x: Axis;
  y: Axis;
  series: Series[];
  marks?: { x: number; word: string }[]; // vertical lines: saturation
  bands?: { name: string; low: [number, number][]; high: [number, number][] }[];
}

export interface Axis {
  name: string; // of the quantity; "" where its unit says enough
  unit?: string; // none: a count, a share, or words
  scale?: "linear" | "log" | "bytes";
  words?: string[]; // instead of numbers: word i stands at i
  limit?: number; // what is above lies on the edge
}

export interface Series {
  name: string;
  colour?: number; // series that belong together have the same
  points: (number | null)[][]; // [x, y] or [x, y, half the error bar]; y null: the line stops
  unit?: string; // of y, where it is not that of the axis
  open?: number[]; // indices of hollow markers: what saturated
  crossed?: number[]; // indices of crosses: what deadlocked
  dashed?: boolean;
  stepped?: boolean;
  marked?: boolean;
  filled?: boolean;
  opaque?: boolean; // and hides what is below it: the top of a stack
  unlined?: boolean;
  published?: boolean; // what a paper prints: rings in the colour of ink
}

/** Horizontal bars, a column of them for each quantity. */
export interface BarChart {
  form: "bars";
  title: string;
  note?: string;
  columns: { name: string; unit: string; places: number }[];
  rows: BarRow[];
}

/** No values: a heading, or a remark instead of bars. */
export interface BarRow {
  name: string;
  values: (number | null)[];
  errors?: (number | null)[]; // half the widths of error bars
  colour?: number;
  remark?: string;
}

/** Vertical bars in groups. */
export interface ColumnChart {
  form: "columns";
  title: string;
  note?: string;
  y: Axis;
  groups: string[];
  series: { name: string; values: (number | null)[]; errors?: number[]; published?: (number | null)[] }[];
}

// --- tables ----------------------------------------------------------------------------------------

/** A table that sorts and filters; and a chart of it by any of its columns. */
export interface RowsSection extends SectionBase {
  kind: "rows";
  columns: Column[];
  rows: Cell[][];
  /** The chart that is shown first; none: the table is shown alone until a chart is asked for. */
  chart?: { x: string; y: string[]; by: string[]; x_scale?: "linear" | "log" | "bytes" };
  /** By row, its colour: "bad", "warning", "good", or none. */
  severity?: (string | null)[];
  /** What a row is about: shown in the fabric section of the page when the row is chosen. */
  marks?: (RowMark | null)[];
}

export type Cell = string | number | boolean | null;

export interface Column {
  name: string;
  unit: string; // "" without one
  meaning: string;
}

export interface RowMark {
  fabric: string; // id of the section
  switches?: number[];
  links?: number[];
  hosts?: number[];
}

// --- time lines ------------------------------------------------------------------------------------

/** What ranks did when; columns of equal length. Times in us. */
export interface TimelineSection extends SectionBase {
  kind: "timeline";
  ranks: { name: string; host: string }[];
  /** Operations: kind is an index of `kinds`; peer -1 without one. */
  kinds: string[];
  ops: {
    rank: number[];
    kind: number[];
    begin: number[];
    end: number[];
    peer: number[];
    bytes: number[];
  };
  messages: {
    from: number[];
    to: number[];
    sent: number[];
    received: number[];
    bytes: number[];
  };
  /** What operations are part of: collectives of a trace. Columns of equal length; name is an index of names. */
  calls?: { names: string[]; rank: number[]; name: number[]; begin: number[]; end: number[] };
  from?: number; // where it begins, if not at 0
  timed?: { title: string; begin: number; end: number }; // the part of the run that was timed
  path?: TimelinePath;
  left_out?: string; // what is not shown, as it is too much
}

/** The critical path: steps in order of time, without gaps; the first ones, where it is long. Columns of equal
 * length. */
export interface TimelinePath {
  title: string; // "critical path of job 2"
  length: number; // us, of the whole path
  parts: string[]; // "compute", "MPI", "below MPI", "waiting"; "message", "read", "request", "answer"
  part: number[]; // an index of `parts`
  rank: number[]; // where a step begins
  to: number[]; // where it ends: at another rank for what travels
  peer: number[]; // the other rank of a message; -1: none
  message: number[]; // an index of `messages`; -1: none
  bytes: number[]; // of the message
  begin: number[]; // us
  end: number[];
}

// --- papers ----------------------------------------------------------------------------------------

export interface PaperSection extends SectionBase {
  kind: "paper";
  summary: string; // "124 of 309 predictions within 10 % …"
  within: number; // predictions within 10 %
  predictions: number;
  tables: PaperTable[];
  figures: AnyChart[];
}

export interface PaperTable {
  title: string;
  note?: string;
  /** Answers: a published number and ours. */
  rows: PaperRow[];
}

export interface PaperRow {
  id: string;
  kind: string; // "prediction", "derived", "worked example", "claim", "check", "ours", "cal"
  says: string; // what it is about
  unit: string;
  paper: number | string | null;
  ours: number | string | null;
  deviation: number | null; // in percent
  met: boolean | null; // null: open, or not judged
}
