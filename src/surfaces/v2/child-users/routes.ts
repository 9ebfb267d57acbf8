import type { components } from '../../../../generated/v2.ts';
import type { NewUser, UserPatch } from '../../../domains/child-users/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { streamBySite } from '../stream-by-site.ts';
import { SELECTION_FIELD_NAMES, siteSelectionOf } from '../site-selection.ts';
import {
  changedSiteView,
  createdSitesView,
  importView,
  siteUserView,
  changedUserFieldsView,
  userInfoView,
} from './view.ts';
import { requesterOf } from '../../../shared/requester.ts';

type Schemas = components['schemas'];
export const fieldNames = { ...SELECTION_FIELD_NAMES, url: 'user_url' };

/** Routes for users of the WordPress sites, not for users of this service. */
export const routes = ({
  fleetReads: { selector, fanOut },
  childUsers: { childUsers, fleetUsers, userImport },
}: RequiredServices<'fleetReads' | 'childUsers'>): HandlersOf<'child-users'> => ({
  users_list: async ({ caller, query }) => {
    const { search, roles } = query;
    const selected = await selector.select(siteSelectionOf(caller.sites, query));
    const outcomes = fanOut.callAll(selected.sites, (link) => childUsers.list(link, { search, roles }), caller.wait);
    const view = streamBySite(selected, outcomes, (users, site) => users.map((user) => siteUserView(user, site)));
    return { status: 200, ...view };
  },
  users_create: async ({ body, caller }) => {
    const { results, errors } = await fleetUsers.create(
      siteSelectionOf(caller.sites, body),
      newUserOf(body),
      requesterOf(caller),
    );
    const total = results.length + errors.length;
    const data = {
      user_info: userInfoView(body),
      total_sites: total,
      total_success: results.length,
      total_failed: errors.length,
      created_sites: createdSitesView(results),
      failed_sites: errors,
    };
    const message = `The user was created on ${results.length} of ${total} sites.`;
    return { status: 200, body: { success: 1, message, data } };
  },
  users_edit: async ({ path, body, caller, site }) => {
    const patch = toUserPatch(body);
    const { profile, warnings } = await childUsers.edit(site, path.user_id, patch, caller.name);
    const data = {
      website_id: site.id,
      website_url: site.url,
      user_id: path.user_id,
      updated_data: changedUserFieldsView(profile, patch),
    };
    const answer = { ...(warnings.length > 0 && { warnings }), data };
    return { status: 200, body: { success: 1, message: 'The user was saved.', ...answer } };
  },
  users_delete: async ({ path, caller, site }) => {
    await childUsers.delete(site, path.user_id, caller.name);
    return { status: 200, body: { success: 1, message: 'The user was deleted.' } };
  },
  users_update_admin_password: async ({ body, caller }) => {
    const { password } = body;
    const { results, errors } = await fleetUsers.setAdminPassword(
      siteSelectionOf(caller.sites, body),
      password,
      requesterOf(caller),
    );
    const total = results.length + errors.length;
    const counts = { total_websites: total, success_count: results.length, failed_count: errors.length };
    const message = `The password was set on ${results.length} of ${total} sites.`;
    return {
      status: 200,
      body: { success: 1, message, ...counts, success_websites: results.map(changedSiteView), failed_websites: errors },
    };
  },
  users_import: async ({ body, caller }) => {
    const answer = importView(await userImport.run(caller.sites, body.csv_file, body.has_header, requesterOf(caller)));
    const message = `${answer.success_count} of ${answer.total} rows succeeded.`;
    return { status: 200, body: { success: 1, message, ...answer } };
  },
});

const toUserPatch = (body: Schemas['UserEdit']): UserPatch => ({
  email: body.email,
  password: body.password,
  firstName: body.first_name,
  lastName: body.last_name,
  nickname: body.nickname,
  displayName: body.display_name,
  description: body.description,
  url: body.user_url,
  role: body.role,
});

const newUserOf = (body: Schemas['UserCreate']): NewUser => ({
  username: body.username,
  email: body.email,
  password: body.password,
  firstName: body.first_name,
  lastName: body.last_name,
  url: body.user_url,
  role: body.role,
  sendPassword: body.send_password,
});
