/** This file defines the content of a page for its readers. All texts are unescaped; the templates escape them. */

export type FigureTone = 'good' | 'warn' | 'bad' | 'plain';

export interface Cell {
  text: string;
  /** Color of the badge. Null if the text is not a badge. */
  tone: FigureTone | null;
  numeric: boolean;
  /** True if the text is short and comes from this service, so that its words do not need to be broken. */
  short: boolean;
}

export interface Table {
  columns: readonly { label: string; numeric: boolean }[];
  rows: readonly (readonly Cell[])[];
  more: number;
  /** Sentence above the table. */
  note: string | null;
}

export interface FormattedFigure {
  value: string;
  label: string;
  tone: FigureTone;
  /** Day of a value that is not about the period, such as `as of November 24, 2026`. */
  asOf: string | null;
}

export interface LabeledValue {
  label: string;
  value: string;
}

export interface Chart {
  title: string;
  kind: 'bars' | 'lines';
  labels: readonly string[];
  series: readonly { name: string; values: readonly (number | null)[] }[];
  /** True if the scale is divided into quarters, for values such as percentages. */
  quarters: boolean;
  unit: string;
  /** Ends of the scale. By default, they follow from the values. */
  least?: number;
  most?: number;
  /** Describes the chart for readers who cannot see it. */
  says: string;
}

export interface SectionPart {
  counts: readonly LabeledValue[];
  facts: readonly LabeledValue[];
  table: Table | null;
}

/** The section itself is about the period. `state` is about a day. */
export interface Section extends SectionPart {
  title: string;
  /** Says which data the section cannot have. */
  note: string | null;
  state: (SectionPart & { asOf: string }) | null;
}

export interface SitePageContent {
  name: string;
  url: string;
  lead: readonly string[];
  figures: readonly FormattedFigure[];
  charts: readonly Chart[];
  sections: readonly Section[];
  missing: readonly string[];
}

export interface ReportPageContent {
  title: string;
  cover: { name: string; url: string | null; period: string; zone: string; madeAt: string };
  lead: readonly string[];
  figures: readonly FormattedFigure[];
  charts: readonly Chart[];
  overview: Table | null;
  sites: readonly SitePageContent[];
}

export interface AgencyBranding {
  name: string;
  color: string;
  /** Data URL; empty if there is no logo. */
  logo: string;
  footer: string;
}
