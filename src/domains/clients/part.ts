import { definePart, type ClientDeletedHook, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { ReportTemplatesServices } from '../report-templates/index.ts';
import { ClientFieldService } from './client-field-service.ts';
import { ClientService } from './client-service.ts';

interface ClientsPartDeps {
  changes: ChangesServices;
  reportTemplates: ReportTemplatesServices;
  onClientDeleted: () => readonly ClientDeletedHook[];
}

export const clientsPart = (
  { knex, clock }: Platform,
  { changes: { changeLog }, reportTemplates: { templates }, onClientDeleted }: ClientsPartDeps,
) =>
  definePart({
    name: 'clients',
    own: {
      clients: new ClientService({ knex, clock, changeLog, templates, onClientDeleted }),
      clientFields: new ClientFieldService({ knex, clock, changeLog }),
    },
  });

export type ClientsServices = OwnOf<typeof clientsPart>;
