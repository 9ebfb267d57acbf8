import { part, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { ReportService } from './report-service.ts';
import type { SourceParts } from './sources.ts';

export function proReportsPart({ clock }: Platform, parts: Omit<SourceParts, 'clock'>) {
  const sources = { ...parts, clock };
  const maxItems = (): number => parts.settings.settings.current('pro-reports').max_items_per_section;
  return part({ name: 'pro-reports', own: { reports: new ReportService({ sources, maxItems }) } });
}

export type ProReportsServices = OwnOf<typeof proReportsPart>;
