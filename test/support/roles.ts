import type { World } from './world.ts';

/** Creates a role without users and returns its name. */
export async function addRole(
  world: World,
  permissions: readonly string[] = ['tags:read'],
  name = 'contractor',
): Promise<string> {
  const body = { name, permissions };
  return (await world.request('POST', '/api/v2/rest-api/roles/add', { body })).body.data.name;
}
