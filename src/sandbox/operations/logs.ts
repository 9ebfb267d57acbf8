import { phpMap } from '../protocol/frame.ts';
import { listField, recordField, textField, isTruthy, type PhpFormFields } from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import type { ChangeRecord, ChildAction, SiteState } from '../state/site-state.ts';
import { unixSecondsOf, type Call } from './call.ts';

/** Size of the two empty tables of the changes log (protocol 4.9) in bytes. */
const EMPTY_LOG_BYTES = 114_688;
const BYTES_PER_CHANGE = 2_048;
const KEPT = 5_000;
const VISITOR_IP = '203.0.113.9';

export function appendAction(state: SiteState, now: number, action: Omit<ChildAction, 'id' | 'created'>): void {
  const created = Math.round(now * 1e6) / 1e6;
  const id = `${Math.floor(created)}${String(state.actions.length % 10_000).padStart(4, '0')}`;
  state.actions.push({ id, created, ...action });
  if (state.actions.length > KEPT) state.actions.shift();
}

export function appendChange(
  state: SiteState,
  now: number,
  change: Omit<ChangeRecord, 'id' | 'created' | 'postId'> & { postId?: number },
): void {
  const id = state.nextChangeId;
  state.nextChangeId += 1;
  state.changes.push({ postId: 0, ...change, id, created: Math.round(now * 1e6) / 1e6 });
  if (state.changes.length > KEPT) state.changes.shift();
}

export function actionsSince(state: SiteState, cursor: string): Record<string, unknown> | [] {
  const after = Number(cursor);
  const wanted = Number.isFinite(after) ? after : 0;
  return phpMap(
    state.actions
      .filter((action) => Math.round(action.created * 1e4) / 1e4 > wanted)
      .map((action): [string, unknown] => [action.id, actionEntry(state, action)]),
  );
}

function actionEntry(state: SiteState, action: ChildAction): Record<string, unknown> {
  const user = state.users.find((item) => item.login === action.login);
  const slug = action.extra['slug'];
  return {
    context: action.context,
    action: action.action,
    action_user: action.login,
    created: action.created,
    summary: action.summary,
    meta_data: {
      user_meta: {
        wp_user_id: user?.id ?? 0,
        display_name: user?.displayName ?? action.login,
        role: user?.role ?? '',
        user_role_label: user === undefined ? '' : user.role.charAt(0).toUpperCase() + user.role.slice(1),
        agent: '',
        full_name: '',
        username: action.login,
        ip: VISITOR_IP,
        action_user: action.login,
      },
      extra_info: action.extra,
      ...(slug === undefined ? {} : { slug }),
    },
    duration: 0.058_768_987_655_639_65,
  };
}

/**
 * Returns changes between `newer_than` and `older_than`, oldest first. Both limits are excluded and may have a
 * fraction. Without `params_logs[events_count]`, the child returns the empty text. To read the next page, a caller must
 * send a later `newer_than`.
 */
export function changesFor(state: SiteState, fields: PhpFormFields): unknown {
  const parameters = recordField(fields, 'params_logs');
  if (!isTruthy(parameters['events_count'])) return '';
  const limit = Number.parseInt(textField(parameters, 'events_count'), 10);
  if (!(limit > 0)) return [];
  const newer = Number(textField(parameters, 'newer_than'));
  const older = Number(textField(parameters, 'older_than'));
  const wanted = state.changes
    .filter(
      (change) =>
        (newer === 0 || change.created > newer) &&
        (older === 0 || change.created < older) &&
        !state.ignoredChanges.includes(change.typeId),
    )
    .sort((left, right) => left.created - right.created)
    .slice(0, limit);
  return phpMap(wanted.map((change): [string, unknown] => [String(change.id), changeEntry(state, change)]));
}

/** Stores the types of changes that responses omit from now on. -1 clears the list. */
export function storeIgnoredChanges(state: SiteState, fields: PhpFormFields): void {
  const types = listField(recordField(fields, 'params_logs'), 'ignore_sync_changes_logs').map(Number);
  if (types.length > 0) state.ignoredChanges = types.filter((type) => type > 0);
}

function changeEntry(state: SiteState, change: ChangeRecord): Record<string, unknown> {
  const user = state.users.find((item) => item.login === change.login);
  const post = change.postId === 0 ? undefined : state.posts.get(change.postId);
  return {
    id: change.id,
    blog_id: 1,
    log_type_id: change.typeId,
    created_on: damageTimeFraction(change.created),
    client_ip: VISITOR_IP,
    context: change.context,
    action_name: change.action,
    user_agent: 'Mozilla/5.0',
    user_roles: user?.role ?? '',
    username: user === undefined ? 'System' : user.login,
    user_id: user?.id ?? null,
    duration: 0,
    post_status: post?.status ?? '',
    post_type: post?.type ?? '',
    post_id: change.postId,
    meta_data: {
      ...change.meta,
      user_data: { first_name: user?.firstName ?? '', last_name: user?.lastName ?? '' },
      user_meta: {
        wp_user_id: user?.id ?? 0,
        display_name: user?.displayName ?? 'System',
        agent: user === undefined ? 'wp_cron' : '',
        action_user: user?.login ?? 'wp_cron',
      },
    },
  };
}

/**
 * Damages a time as the child does. It converts the fraction to an integer, so leading zeros are lost: 477.05272
 * becomes 477.5272.
 */
function damageTimeFraction(created: number): string {
  const [whole = '0', fraction = '0'] = created.toFixed(6).split('.');
  return `${whole}.${Number(fraction.replace(/0+$/, ''))}`;
}

export function changesLogBytes(state: SiteState): number {
  return EMPTY_LOG_BYTES + state.changes.length * BYTES_PER_CHANGE;
}

export function deleteActions({ state }: Call): Reply {
  state.actions = [];
  return frameReply({ success: 'ok' });
}

export function cleanUpChildLogs({ state }: Call): Reply {
  state.changes = [];
  return frameReply({ success: 1, dbsize_activitylogs: changesLogBytes(state) });
}

/**
 * Records an action for Child Reports. While that plugin is active, it records every action, whoever performed it
 * (protocol 4.10).
 */
export function recordForReport(
  call: Call,
  context: string,
  action: string,
  values: Record<string, string>,
  reportsActive: boolean,
): void {
  if (!reportsActive) return;
  const { reports } = call.state;
  reports.push({ at: unixSecondsOf(call), context, action, author: call.user?.login ?? '', values });
  if (reports.length > KEPT) reports.shift();
}

export function wantsLogs(fields: PhpFormFields): boolean {
  return isTruthy(fields['params_logs']) && typeof fields['params_logs'] === 'object';
}
