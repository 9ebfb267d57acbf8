import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SettingsServices } from '../settings/index.ts';
import { ReportPageRenderer } from './report-page-renderer.ts';

export const reportPagesPart = (
  { printer, logger }: Platform,
  { settings: { settings, formats } }: { settings: SettingsServices },
) =>
  definePart({
    name: 'report-pages',
    own: { reportPages: new ReportPageRenderer({ settings, formats, printer, logger }) },
    metrics: [
      {
        name: 'sitefleet_prints_waiting',
        help: 'Number of reports that wait to be printed as PDF.',
        read: () => printer.waiting,
      },
    ],
  });

export type ReportPagesServices = OwnOf<typeof reportPagesPart>;
