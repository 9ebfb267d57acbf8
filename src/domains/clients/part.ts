import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import { ClientFieldService } from './client-field-service.ts';
import { ClientService } from './client-service.ts';

/** Clients, who own sites. */
export const clientsPart = ({ knex, clock }: Platform, { changes: { changeLog } }: { changes: ChangesServices }) =>
  part({
    name: 'clients',
    own: {
      clients: new ClientService({ knex, clock, changeLog }),
      clientFields: new ClientFieldService({ knex, clock, changeLog }),
    },
  });
