import {
  COMMENT_STATUSES,
  type ChildComment,
  type ChildLink,
  type CommentAction,
  type CommentCalls,
  type CommentStatus,
} from '../../connector/child-site.ts';
import { ChildBadAnswerError, isOutcomeUnknown, mayStillBeRunning } from '../../shared/child-call-errors.ts';
import type { ItemErrorCode } from '../../shared/error-codes.ts';
import { ConflictError, type DomainError, NotFoundError } from '../../shared/errors.ts';
import { itemErrorOf } from '../../shared/item-error.ts';
import { omitEmptyValues } from '../../shared/changed-values.ts';
import {
  attemptCall,
  changeDone,
  changeFailed,
  type ChangeContext,
  type ChildChanges,
  type ProvenChange,
  type SiteWithUrlKey,
  type SiteCalls,
} from '../sites/index.ts';
import {
  ACTION_WORDS,
  isCommentActionAllowed,
  isExpectedStateAfterAction,
  LOGGED_ACTIONS,
  newestFirst,
  type CommentState,
} from './comment.ts';
import { findComments, type FoundComments } from './comment-search.ts';
import { secondAfterDay, secondBeforeDay } from './comment-date-filter.ts';

export interface CommentFilter {
  status?: CommentStatus;
  keyword?: string;
  /** First and last day in the time zone of the site, both included. */
  firstDay?: string;
  lastDay?: string;
  maximum: number;
}

export interface CommentServiceDeps {
  child: CommentCalls;
  calls: SiteCalls;
  childChanges: ChildChanges;
}

export interface CommentAfterAction {
  id: number;
  state: CommentState;
}

export interface CommentFailure {
  id: number;
  code: ItemErrorCode;
  message: string;
}

export interface BulkCommentActionResult {
  site: SiteWithUrlKey;
  done: number[];
  errors: CommentFailure[];
}

type CommentActionOutcome = { state: CommentState } | { error: DomainError } | { unproven: DomainError };

interface ActionResult {
  after: FoundComments | null;
  callError: DomainError | null;
}

type CommentActionRun = ActionResult & {
  before: FoundComments;
  /** IDs of comments whose call has no response yet: the site may still be carrying it out. */
  open: ReadonlySet<number>;
};

/** `send` may send several requests. It returns the error of the last one that failed, or null. */
interface SentAction {
  sent: readonly ChildComment[];
  send: () => Promise<DomainError | null>;
}

/**
 * Reads and changes comments on sites. The child plugin's report of success is not trusted, so comments are read before
 * and after an action.
 */
export class CommentService {
  readonly #deps: CommentServiceDeps;

  constructor(deps: CommentServiceDeps) {
    this.#deps = deps;
  }

  reader(filter: CommentFilter): (link: ChildLink) => Promise<ChildComment[]> {
    const { status, keyword, firstDay, lastDay, maximum } = filter;
    const query = {
      statuses: status === undefined ? COMMENT_STATUSES : [status],
      maximum,
      keyword,
      after: firstDay && secondBeforeDay(firstDay),
      before: lastDay && secondAfterDay(lastDay),
    };
    // The child plugin applies the maximum to each status separately.
    return async (link) => (await this.#deps.child.comments(link, query)).sort(newestFirst).slice(0, maximum);
  }

  async list(siteId: number, filter: CommentFilter): Promise<{ site: SiteWithUrlKey; comments: ChildComment[] }> {
    const read = this.reader(filter);
    return this.#deps.calls.run(siteId, async (link, site) => ({ site, comments: await read(link) }), {
      reads: true,
    });
  }

  async act(siteId: number, action: CommentAction, id: number, actor: string): Promise<CommentAfterAction> {
    const { outcomes } = await this.#run(siteId, action, [id], actor);
    const outcome = outcomes.get(id) as CommentActionOutcome;
    if ('state' in outcome) return { id, state: outcome.state };
    throw 'error' in outcome ? outcome.error : outcome.unproven;
  }

  async actOnMany(
    siteId: number,
    action: CommentAction,
    ids: readonly number[],
    actor: string,
  ): Promise<BulkCommentActionResult> {
    const { site, outcomes } = await this.#run(siteId, action, [...new Set(ids)], actor);
    const result: BulkCommentActionResult = { site, done: [], errors: [] };
    for (const [id, outcome] of outcomes)
      if ('state' in outcome) result.done.push(id);
      else if ('unproven' in outcome) result.errors.push({ id, ...UNPROVEN });
      else {
        const { code, message } = itemErrorOf(id, outcome.error);
        result.errors.push({ id, code, message });
      }
    return result;
  }

  #run(
    siteId: number,
    action: CommentAction,
    ids: readonly number[],
    actor: string,
  ): Promise<{ site: SiteWithUrlKey; outcomes: Map<number, CommentActionOutcome> }> {
    const { calls, child } = this.#deps;
    return calls.run(siteId, async (link, site) => {
      const before = await findComments(child, link, ids);
      const course = await this.#runAction({ siteId, actor }, action, before, link);
      return { site, outcomes: new Map(ids.map((id) => [id, commentActionOutcomeOf(action, id, course)])) };
    });
  }

  async #runAction(
    context: ChangeContext,
    action: CommentAction,
    before: FoundComments,
    link: ChildLink,
  ): Promise<CommentActionRun> {
    const { child } = this.#deps;
    const fitting = [...before.comments.values()].filter(({ status }) => isCommentActionAllowed(action, status));
    const open = new Set<number>();
    if (fitting.length === 0) return { before, after: before, callError: null, open };
    const act = async (comments: readonly ChildComment[]): Promise<void> => {
      const ids = comments.map(({ id }) => id);
      try {
        await child.commentAction(link, action, ids);
      } catch (error) {
        if (mayStillBeRunning(error)) for (const id of ids) open.add(id);
        throw error;
      }
    };
    const carryOut = ({ sent, send }: SentAction): Promise<ActionResult> =>
      this.#deps.childChanges.carryOut(context, {
        send,
        read: () => this.#readBack(fitting, link),
        judge: ({ answer, callError, mayHaveRun, state: after, readError }) =>
          mayHaveRun
            ? changeDone(
                { after, callError: callError ?? answer ?? readError },
                sent.flatMap((comment) => provenChangeOf(action, comment, after) ?? []),
              )
            : changeFailed(callError as DomainError),
      });
    const first = await carryOut({ sent: fitting, send: () => act(fitting).then(() => null) });
    // Without a response, the site may still be carrying out the action. A second request could run at the same time.
    if (fitting.length === 1 || !first.callError || open.size > 0) return { before, open, ...first };
    // Approving a deleted comment is a fatal error, which ends the request (protocol 4.5). The rest is sent one by one.
    const left = fitting.filter(({ id }) => isStillAllowed(action, first.after?.comments.get(id)));
    if (left.length === 0) return { before, open, ...first };
    const second = await carryOut({
      sent: left,
      send: async () => {
        let lastError: DomainError | null = null;
        for (const comment of left) {
          const { error } = await attemptCall(() => act([comment]));
          lastError = error ?? lastError;
          // A site that hangs would hold up each further call until its deadline.
          if (error && (!isOutcomeUnknown(error) || open.size > 0)) break;
        }
        return lastError;
      },
    });
    return { before, open, after: second.after, callError: second.callError ?? first.callError };
  }

  #readBack(sent: readonly ChildComment[], link: ChildLink): Promise<FoundComments> {
    const ids = sent.map(({ id }) => id);
    return findComments(this.#deps.child, link, ids, sent);
  }
}

function commentActionOutcomeOf(
  action: CommentAction,
  id: number,
  { before, after, callError, open }: CommentActionRun,
): CommentActionOutcome {
  const was = before.comments.get(id);
  if (!was) return { error: commentNotFound() };
  if (!isCommentActionAllowed(action, was.status)) return { error: actionNotAllowed(action, was.status) };
  const state = after && commentStateIn(after, id);
  if (!state)
    return { unproven: callError ?? new ChildBadAnswerError('The comment could not be read after the action.') };
  if (isExpectedStateAfterAction(action, state)) return { state };
  if (state === 'deleted') return { error: commentNotFound() };
  if (callError && open.has(id)) return { unproven: callError };
  return { error: callError ?? new ChildBadAnswerError('The site did not change the comment.') };
}

function commentStateIn({ comments, complete }: FoundComments, id: number): CommentState | null {
  const status = comments.get(id)?.status;
  return status ?? (complete ? 'deleted' : null);
}

const isStillAllowed = (action: CommentAction, comment: ChildComment | undefined): boolean =>
  comment !== undefined && isCommentActionAllowed(action, comment.status);

const commentNotFound = (): NotFoundError =>
  new NotFoundError('svc_comment_not_found', 'The site has no such comment.');

const actionNotAllowed = (action: CommentAction, status: CommentStatus): ConflictError =>
  new ConflictError(
    'svc_comment_invalid_state',
    `A comment with the status ${status} cannot be ${ACTION_WORDS[action]}.`,
    {
      comment_status: status,
    },
  );

const UNPROVEN = {
  code: 'svc_outcome_unknown',
  message: 'The action was sent to the site, but the comment could not be read afterwards.',
} as const;

function provenChangeOf(
  action: CommentAction,
  { id, postId, postTitle, status }: ChildComment,
  after: FoundComments | null,
): ProvenChange | null {
  const state = after && commentStateIn(after, id);
  if (!state || !isExpectedStateAfterAction(action, state)) return null;
  return {
    type: `comment.${LOGGED_ACTIONS[action]}`,
    description: `The comment ${id} on the post ${postId} was ${ACTION_WORDS[action]}.`,
    thing: {
      name: postTitle,
      key: id,
      before: omitEmptyValues({ status }),
      after: omitEmptyValues({ status: state === 'deleted' ? null : state }),
    },
  };
}
