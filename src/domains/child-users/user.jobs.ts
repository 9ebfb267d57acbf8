import type { Sealing } from '../../db/sealing.ts';
import { createUnvalidatedParser, defineJobKind, sealedInputs, type Attempt, type JobKind } from '../../queue/index.ts';
import type { ItemError } from '../../shared/errors.ts';
import { parseSiteResult, type SiteResult, type SiteRef } from '../sites/index.ts';
import type { ChildUserService, UserChangeContext } from './child-user-service.ts';
import type { CreatedUser, NewUser } from './child-user.ts';

/** One input for all sites of a job, or one per row of a file. Inputs contain passwords. */
export type RowInputs<Input> = Readonly<Record<string, Input>>;

export const ALL_SITES = 'all';

export type UserResult = CreatedUser & { row?: string };
export const parseUserResult = createUnvalidatedParser<UserResult>();

/** Returns the identifier of an item: `<line>:<site>`. A site that is selected by a tag is named by its ID. */
export const itemIdentifierOfRow = (line: number, site: SiteRef): string => `${line}:${site}`;
export const rowNumberOfItem = (identifier: SiteRef): string => /^(\d+):/.exec(String(identifier))?.[1] ?? ALL_SITES;
export function siteReferenceOfItem({ identifier, site_id: id }: Pick<ItemError, 'identifier' | 'site_id'>): SiteRef {
  const site = String(identifier).replace(/^\d+:/, '');
  return site === String(id) ? Number(site) : site;
}

export type UserJobs = {
  createUser: JobKind<RowInputs<NewUser>, UserResult>;
  setAdminPassword: JobKind<RowInputs<{ password: string }>, SiteResult>;
};

const toChangeContext = ({ item, resumed, lease }: Attempt): UserChangeContext => ({
  actor: item.requestedBy,
  resumed,
  oneOfMany: !item.isOnlyItem,
  lease,
});

const sealedRows = <Input>(sealing: Sealing, kind: string) =>
  sealedInputs<Input>(sealing, kind, ({ identifier }) => rowNumberOfItem(identifier));

function ofRow<Input>(input: Input | null): Input {
  if (input === null) throw new Error('The item refers to a row that its job does not have.');
  return input;
}

export function userJobs(users: ChildUserService, sealing: Sealing): UserJobs {
  const changing = { about: 'site', whenCancelled: 'finish' } as const;
  return {
    createUser: defineJobKind({
      ...changing,
      name: 'create-user',
      input: sealedRows<NewUser>(sealing, 'create-user'),
      result: parseUserResult,
      perform: async ({ subject, input, ...attempt }) => {
        const row = rowNumberOfItem(attempt.item.identifier);
        const created = await users.create(subject, ofRow(input), toChangeContext(attempt));
        return { ...created, ...(row === ALL_SITES ? {} : { row }) };
      },
    }),
    setAdminPassword: defineJobKind({
      ...changing,
      name: 'admin-password',
      // A site cannot tell its password, and the same one can be set twice.
      whenRetried: 'repeat',
      input: sealedRows<{ password: string }>(sealing, 'admin-password'),
      result: parseSiteResult,
      perform: ({ subject, input, ...attempt }) =>
        users.setAdminPassword(subject, ofRow(input).password, toChangeContext(attempt)),
    }),
  };
}
