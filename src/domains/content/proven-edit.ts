import { ChildBadAnswerError, mayStillBeRunning } from '../../shared/child-call-errors.ts';
import { NotFoundError, type DomainError } from '../../shared/errors.ts';
import { changeDone, changeErrorOf, changeFailed, type Judgement, type VerifiedChange } from '../sites/index.ts';
import { describeStatusChange } from './content-action-verification.ts';
import { describeContentEdit } from './content-change-description.ts';
import { contentNotFound, type Content, type ContentKind, type ContentPatch } from './content.ts';

/** Result of the calls of an edit. `stopped` is the error of a call after the first; the calls before it have run. */
export interface EditProgress {
  stopped: DomainError | null;
}

/**
 * Decides by the post that is read afterwards whether an edit succeeded. If the site kept an old value, the edit
 * failed. If the site stored a text differently, it did not fail. A changed post is logged even if the edit failed.
 */
export function judgeEdit(
  kind: ContentKind,
  before: Content,
  patch: ContentPatch,
  change: VerifiedChange<EditProgress, { content: Content | null }>,
): Judgement<Content> {
  const callError = change.callError ?? change.answer?.stopped ?? null;
  const edit = { ...change, callError, mayStillRun: mayStillBeRunning(callError) };
  const after = change.state?.content ?? null;
  const kept = after ? keptFieldsOf(before, patch, after) : [];
  const isReached = ({ content }: { content: Content | null }): boolean =>
    content !== null && kept.length === 0 && !(callError && hasUnseenFields(patch));
  const error = changeErrorOf(edit, isReached, () => (after ? notCarriedOut(kept) : contentNotFound(kind)));
  if (!after && patch.status === 'trash' && change.state)
    return changeFailed(deletedInsteadOfTrashed(kind), [describeStatusChange(kind, 'delete', before, null)]);
  if (!after) return changeFailed(error ?? contentNotFound(kind));
  const isProven = isChanged(before, after) || (!error && hasUnseenFields(patch));
  const thing = describeContentEdit(before, patch, after);
  const description = `The ${kind} ${after.id} was changed.`;
  const proven = isProven ? [{ type: `${kind}.updated`, description, thing }] : [];
  return error ? changeFailed(error, proven) : changeDone(after, proven);
}

/** The site has no trash, so WordPress has deleted the post, and there is nothing to return. */
const deletedInsteadOfTrashed = (kind: ContentKind): NotFoundError =>
  new NotFoundError(
    contentNotFound(kind).code,
    `The trash of the site is switched off, so it deleted the ${kind} permanently.`,
  );

/**
 * True if the post has the requested status. WordPress schedules a post with a later date instead of publishing it, and
 * publishes a scheduled post with an earlier date.
 */
export const isStatusReached = ({ status, date }: ContentPatch, stored: string): boolean =>
  status === undefined ||
  status === stored ||
  (date !== undefined && [status, stored].every((each) => each === 'publish' || each === 'future'));

/** Fields that WordPress stores as sent, except for blanks. It may store another slug, category or tag than sent. */
const KEPT_AS_SENT = {
  title: 'title',
  content: 'content',
  excerpt: 'excerpt',
  password: 'password',
  date: 'date',
  commentStatus: 'comment status',
  pingStatus: 'ping status',
  sticky: 'sticky flag',
} as const satisfies Partial<Record<keyof Content & keyof ContentPatch, string>>;

function keptFieldsOf(before: Content, patch: ContentPatch, after: Content): string[] {
  const fields = Object.entries(KEPT_AS_SENT) as [keyof typeof KEPT_AS_SENT, string][];
  const kept = fields.filter(([field]) => isKept(before[field], patch[field], after[field]));
  const custom = [...(patch.customFields ?? [])].filter(([key, value]) =>
    isKept(before.customFields.get(key)?.at(-1) ?? null, value, after.customFields.get(key)?.at(-1) ?? null),
  );
  return [
    ...(isStatusReached(patch, after.status) ? [] : ['status']),
    ...kept.map(([, name]) => name),
    ...custom.map(([key]) => `custom field ${key}`),
  ];
}

const isKept = (old: unknown, wanted: unknown, now: unknown): boolean =>
  wanted !== undefined && toText(wanted) !== toText(now) && toText(old) === toText(now);

const toText = (value: unknown): string => (typeof value === 'string' ? value.trim() : JSON.stringify(value ?? ''));

/** The post that is read after an edit contains neither the gallery nor the texts of the featured image. */
const hasUnseenFields = ({ gallery, featuredImageData }: ContentPatch): boolean =>
  gallery !== undefined || featuredImageData !== undefined;

const isChanged = (before: Content, after: Content): boolean => comparable(before) !== comparable(after);

/**
 * Leaves out what changes without an edit: the edit lock, which is also a custom field, changes with every read, and
 * the date of a draft without a GMT date changes with every save.
 */
const comparable = ({ lock: _lock, customFields, date, dateGmt, ...content }: Content): string =>
  JSON.stringify([content, dateGmt && [date, dateGmt], [...customFields].filter(([key]) => key !== '_edit_lock')]);

const notCarriedOut = (kept: readonly string[]): ChildBadAnswerError =>
  new ChildBadAnswerError(`The site reported the change as done, but did not change the ${kept.join(', ')}.`, {
    outcome: 'answered',
  });
