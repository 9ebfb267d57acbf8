import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { ReportReader } from './report-reader.ts';
import type { SourceDeps } from './report-sources.ts';

export function proReportsPart({ clock }: Platform, deps: Omit<SourceDeps, 'clock'>) {
  const sources = { ...deps, clock };
  const maxItems = (): number => deps.settings.settings.current('pro-reports').max_items_per_section;
  return definePart({ name: 'pro-reports', own: { reports: new ReportReader({ sources, maxItems }) } });
}

export type ProReportsServices = OwnOf<typeof proReportsPart>;
