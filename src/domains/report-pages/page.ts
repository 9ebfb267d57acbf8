/** What a page shows, in words of the reader. All texts are raw: the templates escape them. */

export type Tone = 'good' | 'warn' | 'bad' | 'plain';

export interface Cell {
  text: string;
  /** A word in a coloured field rather than a text. */
  tone: Tone | null;
  /** Stands right, below its like. */
  numeric: boolean;
  /** Of our own making, so that its words need not be cut to fit. */
  short: boolean;
}

export interface Table {
  /** Heads of the columns. */
  columns: readonly { label: string; numeric: boolean }[];
  rows: readonly (readonly Cell[])[];
  /** How many rows there are beyond those that are shown. */
  more: number;
}

/** A number that stands out, and what it counts. */
export interface Figure {
  value: string;
  label: string;
  tone: Tone;
}

export interface Fact {
  label: string;
  value: string;
}

/** A chart to be drawn. */
export interface Chart {
  title: string;
  kind: 'bars' | 'lines';
  labels: readonly string[];
  series: readonly { name: string; values: readonly (number | null)[] }[];
  /** Values are shares of a hundred or the like: the scale is cut into quarters. */
  quarters: boolean;
  /** Behind each value of the scale. */
  unit: string;
  /** Ends of the scale, where they are not those of the values. */
  least?: number;
  most?: number;
  /** What the chart says, for those who do not see it. */
  says: string;
}

export interface Section {
  title: string;
  /** What happened how often, as one line. */
  counts: readonly Fact[];
  facts: readonly Fact[];
  table: Table | null;
}

/** A site of a report. */
export interface SitePage {
  name: string;
  url: string;
  lead: readonly string[];
  figures: readonly Figure[];
  charts: readonly Chart[];
  sections: readonly Section[];
  /** Topics that could not be had. */
  missing: readonly string[];
}

export interface Page {
  title: string;
  cover: { name: string; url: string | null; period: string; madeAt: string };
  lead: readonly string[];
  figures: readonly Figure[];
  charts: readonly Chart[];
  overview: Table | null;
  sites: readonly SitePage[];
}

/** In whose name a page is. */
export interface Agency {
  name: string;
  /** `#rrggbb`. */
  color: string;
  /** A data URL; empty without one. */
  logo: string;
  footer: string;
}
