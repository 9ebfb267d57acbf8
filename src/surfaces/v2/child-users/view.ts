import type { components } from '../../../../generated/v2.ts';
import type {
  ChildUser,
  ChildUserProfile,
  SiteUserCreationResult,
  ImportedRow,
  UserPatch,
} from '../../../domains/child-users/index.ts';
import type { SiteWithUrlKey } from '../../../domains/sites/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const siteUserView = (user: ChildUser, site: SiteWithUrlKey): Schemas['SiteUser'] => ({
  id: user.id,
  website_id: site.id,
  username: user.login,
  name: user.displayName,
  email: user.email,
  role: user.role,
  posts: user.posts,
  registered: toIso(user.registeredAt),
});

export const userInfoView = (body: Schemas['UserCreate']): Schemas['UserInfo'] => ({
  username: body.username,
  email: body.email,
  first_name: body.first_name ?? '',
  last_name: body.last_name ?? '',
  user_url: body.user_url ?? '',
  role: body.role,
  send_password: body.send_password,
  password_generated: body.password === undefined,
});

export const createdSitesView = (created: readonly SiteUserCreationResult[]): Schemas['CreatedSites'] =>
  Object.fromEntries(
    created.map(({ id, url, user }) => [
      String(id),
      {
        url,
        user_id: user.id,
        role: user.role,
        message: 'The user was created.',
        ...(user.warnings && { warnings: user.warnings }),
      },
    ]),
  );

export const changedSiteView = ({ id, url }: { id: number; url: string }) => ({ id, url });

export function changedUserFieldsView(profile: ChildUserProfile, patch: UserPatch): Schemas['UserChanges'] {
  const all: [keyof UserPatch, keyof Schemas['UserChanges'], string][] = [
    ['email', 'email', profile.email],
    ['firstName', 'first_name', profile.firstName],
    ['lastName', 'last_name', profile.lastName],
    ['nickname', 'nickname', profile.nickname],
    ['displayName', 'display_name', profile.displayName],
    ['description', 'description', profile.description],
    ['url', 'user_url', profile.url],
    ['role', 'role', profile.roles[0] ?? ''],
  ];
  const sent = all.filter(([field]) => patch[field] !== undefined);
  return Object.fromEntries(sent.map(([, name, value]) => [name, value]));
}

export function importView(rows: readonly ImportedRow[]): Omit<Schemas['UsersImported'], 'success' | 'message'> {
  const place = ({ line, username, email, created }: ImportedRow): Schemas['ImportedUser'] => ({
    line_number: line,
    username,
    email,
    created_sites: createdSitesView(created),
  });
  const failed = rows.flatMap((row) =>
    row.error === null ? [] : { ...place(row), error: row.error, failed_sites: row.errors },
  );
  const succeeded = rows.filter(({ error }) => error === null).map(place);
  return {
    total: rows.length,
    success_count: succeeded.length,
    failed_count: failed.length,
    success_users: succeeded,
    failed_users: failed,
  };
}
