import type { ReportSectionName, ReportTemplate } from '../report-templates/index.ts';
import type { SegmentName } from '../pro-reports/index.ts';

export interface Presentation {
  template: ReportTemplate;
  language: string;
  texts: readonly string[];
  agencyName: string;
  clientName: string;
  /** IDs of sites in the order of the client. Other sites follow by name. */
  siteOrder: readonly number[];
  /** Segments that the caller named. Null if the report has all of them. */
  namedSegments: readonly SegmentName[] | null;
}

export const hasSection = ({ template }: Presentation, name: ReportSectionName): boolean =>
  template.sections.includes(name);

const BODY_SEGMENTS: ReadonlySet<SegmentName> = new Set([
  ...(['plugins', 'themes', 'core', 'posts', 'pages', 'media', 'comments', 'backups'] as const),
  ...(['uptime', 'perfaudit', 'vulnerable', 'sslmonitor', 'domainmonitor', 'pending', 'abandoned'] as const),
]);

export const segmentsBesideBody = ({ namedSegments }: Presentation): SegmentName[] =>
  (namedSegments ?? []).filter((name) => !BODY_SEGMENTS.has(name));
