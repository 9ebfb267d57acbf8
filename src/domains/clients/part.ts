import { definePart, type ClientDeletedHook, type ClientMailChangedHook, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { DeletionCount } from '../../shared/deletion-effects.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { ReportTemplatesServices } from '../report-templates/index.ts';
import { ClientFieldService } from './client-field-service.ts';
import { ClientService } from './client-service.ts';

interface ClientsPartDeps {
  changes: ChangesServices;
  reportTemplates: ReportTemplatesServices;
  onClientDeleted: () => readonly ClientDeletedHook[];
  deletionCounts: () => readonly DeletionCount[];
  onClientMailChanged: () => readonly ClientMailChangedHook[];
}

export const clientsPart = (
  { knex, clock }: Platform,
  {
    changes: { changeLog },
    reportTemplates: { templates },
    onClientDeleted,
    onClientMailChanged,
    deletionCounts,
  }: ClientsPartDeps,
) =>
  definePart({
    name: 'clients',
    deletionCounts: [{ of: 'client', effect: 'custom_fields', table: 'client_field_values', column: 'client_id' }],
    own: {
      clients: new ClientService({
        knex,
        clock,
        changeLog,
        templates,
        onClientDeleted,
        onClientMailChanged,
        deletionCounts,
      }),
      clientFields: new ClientFieldService({ knex, clock, changeLog }),
    },
  });

export type ClientsServices = OwnOf<typeof clientsPart>;
