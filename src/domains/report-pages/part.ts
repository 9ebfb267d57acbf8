import { part, type Part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { SettingsServices } from '../settings/index.ts';
import { ReportPages } from './report-pages.ts';
import type { ReportPagesServices } from './services.ts';

export const reportPagesPart = (
  { printer, clock, logger }: Platform,
  { settings: { settings, formats } }: { settings: SettingsServices },
): Part<ReportPagesServices> =>
  part({
    name: 'report-pages',
    own: { reportPages: new ReportPages({ settings, formats, printer, clock, logger }) },
    metrics: [
      {
        name: 'sitefleet_prints_waiting',
        help: 'Reports that wait to be printed as PDF.',
        read: () => printer.waiting,
      },
    ],
  });
