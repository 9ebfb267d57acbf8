import { ChildRefusedError } from '../../shared/child-call-errors.ts';
import type { DomainError } from '../../shared/errors.ts';
import { judgeChange, type SiteWithUrlKey } from '../sites/index.ts';
import {
  actionFailedReason,
  protectionAgainst,
  isActionDone,
  isOnlyDeactivated,
  itemNotFoundReason,
  protectedItemReason,
  type Inventory,
  type ItemAction,
  type ItemFailure,
  type ItemKind,
} from './inventory.ts';

export interface ItemActionRun {
  before: Inventory;
  after: Inventory | null;
  sent: readonly string[];
  refusals: readonly { slug: string; reason: 'active_theme' | 'parent_of_active_theme' }[];
  callError: DomainError | null;
  mayStillRun: boolean;
}

type ItemKindAndAction = { kind: ItemKind; action: ItemAction };
type ItemFailureDetails = Omit<ItemFailure, 'identifier' | 'site_id' | 'site_url' | 'type' | 'slug'>;

export function itemFailureOf(
  task: ItemKindAndAction,
  slug: string,
  site: SiteWithUrlKey,
  course: ItemActionRun,
): ItemFailure | null {
  const reason = itemFailureReasonOf(task, slug, course);
  return reason && { identifier: slug, site_id: site.id, site_url: site.url, type: task.kind, slug, ...reason };
}

function itemFailureReasonOf(
  { kind, action }: ItemKindAndAction,
  slug: string,
  course: ItemActionRun,
): ItemFailureDetails | null {
  const old = course.before.get(slug);
  if (!old) return itemNotFoundReason(kind);
  const wasSent = course.sent.includes(slug);
  const known = course.after ?? course.before;
  const state = wasSent ? course.after : known;
  const verdict = judgeChange(state, (items) => isActionDone(action, items.get(slug)), wasSent && course.mayStillRun);
  if (verdict === 'done') return null;
  if (verdict === 'unknown') return outcomeUnknownDetails(kind);
  const now = known.get(slug);
  if (!now) return itemNotFoundReason(kind);
  const refusal = course.refusals.find((each) => each.slug === slug)?.reason;
  if (refusal) return protectedItemReason(refusal === 'active_theme' ? 'active_theme' : 'parent_theme');
  const held = protectionAgainst(action, now) ?? protectionAgainst(action, old);
  if (held) return protectedItemReason(held);
  const failure = actionFailedReason(kind, action);
  const { because, ...words } = itemFailureCauseOf(kind, action, slug, course);
  const deactivated = isOnlyDeactivated(kind, action, old, now) ? DEACTIVATED : '';
  const message = [failure.message, deactivated, because].filter((sentence) => sentence !== '').join(' ');
  return { ...failure, message, ...words };
}

/**
 * Returns the cause of a failure, if it is known. A site processes the items in order, and an error at one item ends
 * the call. So only the first unfinished item can be the cause.
 */
function itemFailureCauseOf(
  kind: ItemKind,
  action: ItemAction,
  slug: string,
  { callError, sent, after }: ItemActionRun,
): { because: string; reason?: string; child_message?: string } {
  if (callError === null) {
    if (action !== 'activate') return { because: '' };
    return { because: SILENT, reason: 'refused_silently' };
  }
  const undone = sent.filter((each) => !isActionDone(action, after?.get(each)));
  if (undone[0] !== slug) return { because: `The call failed at an item before this ${kind}.`, reason: 'not_reached' };
  if (!(callError instanceof ChildRefusedError)) return { because: '' };
  const { child_message: message } = callError.data;
  const words = typeof message === 'string' ? { child_message: message } : {};
  if (callError.reason === 'aborted')
    return { because: 'The item ended the call with its own message.', reason: 'stopped_by_item', ...words };
  if (callError.reason === 'site_fatal')
    return { because: 'A fatal PHP error occurred on the site.', reason: 'site_fatal', ...words };
  return { because: '' };
}

const DEACTIVATED = 'The site deactivated it before the deletion failed.';
const SILENT =
  'WordPress gives no reason. A required version of WordPress or PHP, or another required plugin, may be missing.';

const outcomeUnknownDetails = (kind: ItemKind): ItemFailureDetails => ({
  code: 'svc_outcome_unknown',
  message: `The change of the ${kind} was sent, but the state of the site does not confirm the result yet.`,
});
