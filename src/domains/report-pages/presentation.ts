import type { ReportSectionName, ReportTemplate } from '../report-templates/index.ts';
import type { SegmentName } from '../pro-reports/index.ts';

export interface Presentation {
  template: ReportTemplate;
  language: string;
  texts: readonly string[];
  agencyName: string;
  clientName: string;
  /** IDs of sites in the order that is set for the client. Other sites follow in the order of their names. */
  siteOrder: readonly number[];
  /** Segments that the caller named. Null if it named none, so that the template decides. */
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
