import type { World } from './world.ts';

/** Address of a client. The contract and the domain have the same field names. */
export const IN_HAMBURG = { city: 'Hamburg', state: 'HH', zip: '20457', country: 'Germany' };

/** Creates a client. Returns its ID. */
export const createClient = async (world: World, name: string, fields: object = {}): Promise<number> =>
  (await world.ability<{ id: number }>('add-client-v1', { name, ...fields })).id;
