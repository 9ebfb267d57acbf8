import type { SimulatedSite } from '../../src/sandbox/index.ts';
import type { CallOptions, World } from './world.ts';

type SiteRef = number | string;

/** Returns a WordPress user of a site. */
export const userOf = (site: SimulatedSite, login: string) => site.state.users.find((user) => user.login === login);

let created = 0;

/** Creates a user on the sites of a filter. The default address is unique. */
export const createUser = (world: World, user: object, options: CallOptions = {}) =>
  world.request('POST', '/api/v2/users/create', {
    body: { email: `user${++created}@example.com`, ...user },
    ...options,
  });

export const editUser = (world: World, site: SiteRef, id: number, changes: object, options: CallOptions = {}) =>
  world.request('PUT', `/api/v2/users/${site}/${id}/edit`, { body: changes, ...options });

export const deleteUser = (world: World, site: SiteRef, id: number, options: CallOptions = {}) =>
  world.request('DELETE', `/api/v2/users/${site}/${id}/delete`, options);
