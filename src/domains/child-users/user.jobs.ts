import type { Sealing } from '../../db/sealing.ts';
import type { ItemCall, ItemHandler } from '../../queue/index.ts';
import type { ItemError } from '../../shared/errors.ts';
import { siteIdOf, type SiteRef } from '../sites/index.ts';
import type { ChildUserService, SiteChange } from './child-user-service.ts';
import type { CreatedUser, NewUser, PlacedSite } from './child-user.ts';

/** What a kind of job needs of the caller; it holds passwords. */
export interface UserJobInputs {
  'create-user': NewUser;
  'admin-password': { password: string };
}
export type UserJobKind = keyof UserJobInputs;

/** One input for all sites of a job, or one for each row of a file. */
export type RowInputs<K extends UserJobKind> = Readonly<Record<string, UserJobInputs[K]>>;

export const ALL_SITES = 'all';

/** A new user as the result of an item, with the row of the file that asked for it. */
export type PlacedUser = CreatedUser & { row?: string };

/** An item of a file is named by its row and its site; one that a tag stands for goes by its ID. */
export const itemOfRow = (line: number, site: SiteRef): string => `${line}:${site}`;
export const rowOfItem = (identifier: SiteRef): string => /^(\d+):/.exec(String(identifier))?.[1] ?? ALL_SITES;
export function siteOfItem({ identifier, site_id: id }: Pick<ItemError, 'identifier' | 'site_id'>): SiteRef {
  const site = String(identifier).replace(/^\d+:/, '');
  return site === String(id) ? Number(site) : site;
}

const place = (kind: UserJobKind): string => `jobs.input:${kind}`;

/** What is stored with a job: each row sealed by itself, so that an item opens no more than its own. */
export const sealInputs = <K extends UserJobKind>(sealing: Sealing, kind: K, rows: RowInputs<K>): object =>
  Object.fromEntries(
    Object.entries(rows).map(([row, input]) => [row, sealing.seal(JSON.stringify(input), place(kind))]),
  );

function inputOf<K extends UserJobKind>(sealing: Sealing, kind: K, { item }: ItemCall): UserJobInputs[K] {
  const sealed = (item.input as Record<string, string>)[rowOfItem(item.identifier)];
  if (sealed === undefined) throw new Error('The item names a row that its job does not have.');
  return JSON.parse(sealing.open(sealed, place(kind))) as UserJobInputs[K];
}

const changeOf = ({ item, resumed }: ItemCall): SiteChange => ({
  actor: item.requestedBy,
  resumed,
  oneOfMany: !item.alone,
});

/** One site of each kind of job; an interrupted one looks before it acts again, where the site can tell. */
export const userJobs = (users: ChildUserService, sealing: Sealing): Record<UserJobKind, ItemHandler> => ({
  'create-user': async (call): Promise<PlacedUser> => {
    const user = inputOf(sealing, 'create-user', call);
    const row = rowOfItem(call.item.identifier);
    return { ...(await users.create(siteIdOf(call), user, changeOf(call))), ...(row === ALL_SITES ? {} : { row }) };
  },
  'admin-password': async (call): Promise<PlacedSite> => {
    const { password } = inputOf(sealing, 'admin-password', call);
    return users.setAdminPassword(siteIdOf(call), password, changeOf(call));
  },
});
