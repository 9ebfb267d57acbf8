import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ClientsServices } from '../clients/index.ts';
import type { ProReportsServices } from '../pro-reports/index.ts';
import type { ReportTemplatesServices } from '../report-templates/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { ReportPageRenderer } from './report-page-renderer.ts';
import { ReportPageReader } from './report-page-reader.ts';

interface ReportPagesPartDeps {
  clients: ClientsServices;
  proReports: ProReportsServices;
  reportTemplates: ReportTemplatesServices;
  settings: SettingsServices;
}

export const reportPagesPart = (
  { printer, logger }: Platform,
  {
    clients: { clients },
    proReports: { reports },
    reportTemplates: { templates },
    settings: { settings, formats },
  }: ReportPagesPartDeps,
) =>
  definePart({
    name: 'report-pages',
    own: {
      reportPages: new ReportPageRenderer({ settings, formats, printer, logger }),
      reportReader: new ReportPageReader({ reports, clients, templates, settings }),
    },
    metrics: [
      {
        name: 'sitefleet_prints_waiting',
        help: 'Number of reports that wait to be printed as PDF.',
        read: () => printer.waiting,
      },
    ],
  });

export type ReportPagesServices = OwnOf<typeof reportPagesPart>;
