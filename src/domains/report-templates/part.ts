import type { Knex } from 'knex';
import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { ReportTemplateService } from './report-template-service.ts';

interface ReportTemplatesPartDeps {
  changes: ChangesServices;
  settings: SettingsServices;
  countClients: (trx: Knex, key: string) => Promise<number>;
}

export const reportTemplatesPart = (
  { knex, clock }: Platform,
  { changes: { changeLog }, settings: { settings }, countClients }: ReportTemplatesPartDeps,
) => {
  const defaultKey = (): string => settings.current('pro-reports').report_template;
  return definePart({
    name: 'report-templates',
    own: { templates: new ReportTemplateService({ knex, clock, changeLog, defaultKey, countClients }) },
  });
};

export type ReportTemplatesServices = OwnOf<typeof reportTemplatesPart>;
