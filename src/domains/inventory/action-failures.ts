import { ChildRefusedError, type DomainError } from '../../shared/errors.ts';
import { verdictOf, type SiteWithUrlKey } from '../sites/index.ts';
import {
  actionFailed,
  protectionAgainst,
  isDone,
  notFound,
  protectedItem,
  type Inventory,
  type ItemAction,
  type ItemFailure,
  type ItemKind,
} from './inventory.ts';

export interface ActionRun {
  before: Inventory;
  /** Items after the call, or null if they could not be read. */
  after: Inventory | null;
  sent: readonly string[];
  refusals: readonly { slug: string; reason: 'active_theme' | 'parent_of_active_theme' }[];
  broken: DomainError | null;
  atWork: boolean;
}

type Task = { kind: ItemKind; action: ItemAction };
type Reason = Omit<ItemFailure, 'identifier' | 'site_id' | 'site_url' | 'type' | 'slug'>;

export function failureOf(task: Task, slug: string, site: SiteWithUrlKey, course: ActionRun): ItemFailure | null {
  const reason = reasonOf(task, slug, course);
  return reason && { identifier: slug, site_id: site.id, site_url: site.url, type: task.kind, slug, ...reason };
}

function reasonOf({ kind, action }: Task, slug: string, course: ActionRun): Reason | null {
  const old = course.before.get(slug);
  if (!old) return notFound(kind);
  const wasSent = course.sent.includes(slug);
  const known = course.after ?? course.before;
  const state = wasSent ? course.after : known;
  const verdict = verdictOf(state, (items) => isDone(action, items.get(slug)), wasSent && course.atWork);
  if (verdict === 'done') return null;
  if (verdict === 'unknown') return unknown(kind);
  const now = known.get(slug);
  if (!now) return notFound(kind);
  const refusal = course.refusals.find((each) => each.slug === slug)?.reason;
  if (refusal) return protectedItem(refusal === 'active_theme' ? 'active_theme' : 'parent_theme');
  const held = protectionAgainst(action, now) ?? protectionAgainst(action, old);
  if (held) return protectedItem(held);
  const failure = actionFailed(kind, action);
  const { because, ...words } = causeOf(kind, action, slug, course);
  return { ...failure, message: because === '' ? failure.message : `${failure.message} ${because}`, ...words };
}

/**
 * Returns the cause of a failure, if it is known. A site processes the items in order, and an error at one item ends
 * the call. So only the first unfinished item can be the cause.
 */
function causeOf(
  kind: ItemKind,
  action: ItemAction,
  slug: string,
  { broken, sent, after }: ActionRun,
): { because: string; reason?: string; child_message?: string } {
  if (broken === null) {
    if (action !== 'activate') return { because: '' };
    return { because: SILENT, reason: 'refused_silently' };
  }
  const undone = sent.filter((each) => !isDone(action, after?.get(each)));
  if (undone[0] !== slug) return { because: `The call failed at an item before this ${kind}.`, reason: 'not_reached' };
  if (!(broken instanceof ChildRefusedError)) return { because: '' };
  const { child_message: message } = broken.data;
  const words = typeof message === 'string' ? { child_message: message } : {};
  if (broken.reason === 'aborted')
    return { because: 'The item ended the call with its own message.', reason: 'stopped_by_item', ...words };
  if (broken.reason === 'site_fatal')
    return { because: 'A fatal PHP error occurred on the site.', reason: 'site_fatal', ...words };
  return { because: '' };
}

const SILENT =
  'WordPress gives no reason. A required version of WordPress or PHP, or another required plugin, may be missing.';

const unknown = (kind: ItemKind): Reason => ({
  code: 'svc_outcome_unknown',
  message: `The change of the ${kind} was sent, but the state of the site does not confirm the result yet.`,
});
