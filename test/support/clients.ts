import type { World } from './world.ts';

/** Where a client is, in the words that the contract and the domain have in common. */
export const IN_HAMBURG = { city: 'Hamburg', state: 'HH', zip: '20457', country: 'Germany' };

/** Makes a client; answers its ID. */
export const createClient = async (world: World, name: string, fields: object = {}): Promise<number> =>
  (await world.ability<{ id: number }>('add-client-v1', { name, ...fields })).id;
