import { omitEmptyValues } from '../../shared/changed-values.ts';
import { ChildBadAnswerError, OutcomeUnknownError } from '../../shared/child-call-errors.ts';
import type { DomainError } from '../../shared/errors.ts';
import { changeDone, changeFailed, type Judgement, type VerifiedChange } from '../sites/index.ts';
import type { Content, ContentDetail, ContentKind, NewContent } from './content.ts';
import { isStatusReached } from './proven-edit.ts';

/** Response of the site to a creation. `warnings` says why a draft did not get its original texts or its status. */
export interface ReportedCreation {
  id: number;
  link: string | null;
  warnings: string[];
}

export interface CreatedContent {
  id: number;
  link: string | null;
  content: Content;
  warnings: string[];
}

/** `state` is null if the post cannot be read or its ID is unknown; `detail` is null if the site has no such post. */
export function judgeCreation(
  kind: ContentKind,
  wanted: NewContent,
  { answer, callError, state, readError }: VerifiedChange<ReportedCreation, { detail: ContentDetail | null }>,
): Judgement<CreatedContent> {
  if (!answer) return changeFailed(callError as DomainError);
  const { id } = answer;
  if (!state) return changeFailed(unread(kind, id, readError));
  if (!state.detail) return changeFailed(notCreated(kind, id));
  const { content, entry } = state.detail;
  const { title, status } = content;
  const thing = { name: title, key: id, after: omitEmptyValues({ title, status }) };
  const isAsAsked = isStatusReached(wanted, status);
  const warnings = [...answer.warnings, ...(isAsAsked ? [] : [`The content has the status ${status}.`])];
  return changeDone({ id, link: entry?.link ?? answer.link, content, warnings }, [
    { type: `${kind}.created`, description: `The ${kind} ${id} was created.`, thing },
  ]);
}

const unread = (kind: ContentKind, id: number, cause: DomainError | null): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'svc_outcome_unknown',
    `The site reported the ${kind} ${id} as created, but it could not be read. Check it before you repeat the call.`,
    { post_id: id },
    { cause },
  );

const notCreated = (kind: ContentKind, id: number): ChildBadAnswerError =>
  new ChildBadAnswerError(`The site reported the ${kind} ${id} as created, but it does not exist.`, {
    outcome: 'answered',
  });
