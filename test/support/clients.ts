import type { World } from './world.ts';

/** Makes a client; answers its ID. */
export const createClient = async (world: World, name: string, fields: object = {}): Promise<number> =>
  (await world.ability<{ id: number }>('add-client-v1', { name, ...fields })).id;
