/** All texts of a page are unescaped here; the templates escape them. */
import type { TextDirection } from '../../languages/index.ts';

export type FigureTone = 'good' | 'warn' | 'bad' | 'plain';

export interface Cell {
  text: string;
  tone: FigureTone | null;
  numeric: boolean;
  /** True if the text is short and comes from this service, so that the layout need not break its words. */
  short: boolean;
  /** True if phones hide the cell in a table of many sites. */
  minor?: boolean;
}

export interface Table {
  columns: readonly { label: string; numeric: boolean }[];
  rows: readonly (readonly Cell[])[];
  /** Such as `and 34 more`. Null if the table is complete. */
  more: string | null;
  note: string | null;
}

export interface FormattedFigure {
  value: string;
  label: string;
  tone: FigureTone;
  /** Day of a value that is not about the period, such as `as of November 24, 2026`. */
  asOf: string | null;
  /** Value of the previous period, such as `October 2026: 12`. Null if it is not known. */
  before: string | null;
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
  unit: 'percent' | 'milliseconds' | 'none';
  /** Ends of the scale. By default, they follow from the values. */
  least?: number;
  most?: number;
  says: string;
}

export interface ListItem {
  text: string;
  detail: string | null;
  tone: FigureTone | null;
}

export interface ItemList {
  title: string | null;
  sentence: string | null;
  items: readonly ListItem[];
  more: string | null;
}

export interface BodySection {
  title: string;
  paragraphs: readonly string[];
  lists: readonly ItemList[];
  chart: Chart | null;
}

export interface Summary {
  /** Sentences about the limits of the report, such as a period that is not over. */
  notes: readonly string[];
  /** At most three sentences: the work, the availability, and the state of the sites. */
  lead: readonly string[];
  figures: readonly FormattedFigure[];
}

/**
 * Sections in the order of the template. `summary` and `overview` are placeholders: the content of the summary and of
 * the table of all sites is in fields of the page.
 */
export type PageSection = BodySection | 'summary' | 'overview';

export interface SectionPart {
  counts: readonly LabeledValue[];
  facts: readonly LabeledValue[];
  table: Table | null;
}

/** Topic of the appendix. Its own counts, facts and table are about the period. Those of `state` are about one day. */
export interface Topic extends SectionPart {
  title: string;
  /** Says which data is missing because sites do not log it. */
  note: string | null;
  state: (SectionPart & { asOf: string }) | null;
}

export interface SitePageContent extends Summary {
  name: string;
  sections: readonly PageSection[];
  missing: string | null;
}

export interface AppendixOfSite {
  name: string | null;
  topics: readonly Topic[];
}

export type OverviewTable = Table & { title: string; isOverview: true };

export interface ReportPageContent extends Summary {
  language: string;
  direction: TextDirection;
  title: string;
  cover: { name: string; url: string | null; period: string; zone: string; createdOn: string; isFullPage: boolean };
  /** Paragraphs with which `opening` begins. A mail with the report begins with them too. */
  greeting: readonly string[];
  opening: readonly string[];
  closing: readonly string[];
  sections: readonly PageSection[];
  missing: string | null;
  overview: OverviewTable | null;
  sites: readonly SitePageContent[];
  sitesTitle: string;
  /** Label of the switch that shows the details of a site on a phone. */
  details: string;
  appendix: readonly AppendixOfSite[];
  appendixTitle: string;
}

export interface PageBranding {
  name: string;
  color: string;
  accentColor: string;
  /** Data URL; empty if there is no logo. */
  logo: string;
  footer: string;
}
