import type { Sealing } from '../../db/sealing.ts';
import { createUnvalidatedParser, defineJobKind, sealedInputs, type Attempt, type JobKind } from '../../queue/index.ts';
import type { ItemError } from '../../shared/item-error.ts';
import { parseSiteJobResult, type SiteJobResult, type SiteRef } from '../sites/index.ts';
import type { ChildUserService, UserChangeContext } from './child-user-service.ts';
import type { SiteUserCreationResult, NewUser } from './child-user.ts';

/**
 * Inputs by the line of a row in a user file. Without a file, the key `all` has the input for all sites. Inputs contain
 * passwords.
 */
export type InputsByFileRow<Input> = Readonly<Record<string, Input>>;

export const ALL_SITES = 'all';

export type UserCreationJobResult = SiteUserCreationResult & { row?: string };
export const parseUserCreationJobResult = createUnvalidatedParser<UserCreationJobResult>();

/** Returns the identifier of an item: `<line>:<site>`. A site that is selected by a tag is named by its ID. */
export const itemIdentifierOfFileRow = (line: number, site: SiteRef): string => `${line}:${site}`;
export const fileRowNumberOfItem = (identifier: SiteRef): string =>
  /^(\d+):/.exec(String(identifier))?.[1] ?? ALL_SITES;
export function siteReferenceOfItem({ identifier, site_id: id }: Pick<ItemError, 'identifier' | 'site_id'>): SiteRef {
  const site = String(identifier).replace(/^\d+:/, '');
  return site === String(id) ? Number(site) : site;
}

export type UserJobs = {
  createUser: JobKind<InputsByFileRow<NewUser>, UserCreationJobResult>;
  setAdminPassword: JobKind<InputsByFileRow<{ password: string }>, SiteJobResult>;
};

const toChangeContext = ({ item, resumed, lease }: Attempt): UserChangeContext => ({
  itemId: item.id,
  actor: item.requestedBy,
  resumed,
  oneOfMany: !item.isOnlyItem,
  lease,
});

const sealedInputsByFileRow = <Input>(sealing: Sealing, kind: string) =>
  sealedInputs<Input>(sealing, kind, ({ identifier }) => fileRowNumberOfItem(identifier));

function requireRowInput<Input>(input: Input | null): Input {
  if (input === null) throw new Error('The item refers to a row that its job does not have.');
  return input;
}

export function userJobs(users: ChildUserService, sealing: Sealing): UserJobs {
  const changing = { about: 'site', whenCancelled: 'finish' } as const;
  return {
    createUser: defineJobKind({
      ...changing,
      name: 'create-user',
      retryPermission: 'site_users:write',
      input: sealedInputsByFileRow<NewUser>(sealing, 'create-user'),
      result: parseUserCreationJobResult,
      perform: async ({ subject, input, ...attempt }) => {
        const row = fileRowNumberOfItem(attempt.item.identifier);
        const created = await users.create(subject, requireRowInput(input), toChangeContext(attempt));
        return { ...created, ...(row === ALL_SITES ? {} : { row }) };
      },
    }),
    setAdminPassword: defineJobKind({
      ...changing,
      name: 'admin-password',
      retryPermission: 'site_users:write',
      // A retry of the job sets the password again, because a site cannot tell whether it was set. That does no harm.
      whenRetried: 'repeat',
      input: sealedInputsByFileRow<{ password: string }>(sealing, 'admin-password'),
      result: parseSiteJobResult,
      perform: ({ subject, input, ...attempt }) =>
        users.setAdminPassword(subject, requireRowInput(input).password, toChangeContext(attempt)),
    }),
  };
}
