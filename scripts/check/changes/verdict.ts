import { announces, isMentioned, readUnreleased } from './changelog.ts';
import type { Change, Level } from '../../../src/contract-checks/index.ts';
import { changesOf } from '../../../src/contract-checks/index.ts';
import { handlerIdOf, operationsOf } from '../../../src/contract/index.ts';
import { SURFACES } from '../../../src/contract/surfaces.ts';
import type { Documents } from './releases.ts';

export interface JudgedChange extends Change {
  /** True if CHANGELOG.md announces the change, or null if it need not. */
  announced: boolean | null;
}

export interface Verdict {
  changes: JudgedChange[];
  /** Problems that prevent a release. Each message says how to correct it. */
  problems: string[];
}

/** Additive changes that the changelog must mention. New fields are not among them. */
const KINDS_IN_CHANGELOG = new Set(['operation-added', 'operation-deprecated']);

/** A further verb (`x-also`) is mentioned with its operation. */
const mustBeMentioned = ({ kind, subject }: Change): boolean =>
  KINDS_IN_CHANGELOG.has(kind) && handlerIdOf(subject) === subject;

/** Compares the contract with the released one and with the announcements in the changelog. */
export function judgeChanges(released: Documents, present: Documents, changelog: string): Verdict {
  const unreleased = readUnreleased(changelog);
  const paths = new Map(
    SURFACES.flatMap((surface) => operationsOf(present[surface])).map(({ operation, path }) => [
      operation.operationId,
      path,
    ]),
  );
  const changes = SURFACES.flatMap((surface) => changesOf(surface, released[surface], present[surface])).map(
    (change): JudgedChange => {
      if (change.level === 'breaking')
        return { ...change, announced: unreleased.announcements.some((each) => announces(each, change)) };
      if (!mustBeMentioned(change)) return { ...change, announced: null };
      return { ...change, announced: isMentioned(unreleased, change, paths.get(change.subject) ?? '') };
    },
  );
  const stale = unreleased.announcements.filter((each) => !changes.some((change) => announces(each, change)));
  return {
    changes,
    problems: [
      ...changes.filter(({ announced }) => announced === false).map(problemMessage),
      ...unreleased.problems,
      ...stale.map(({ line }) => `CHANGELOG.md: "${line}" announces a change that the contract does not show.`),
    ],
  };
}

function problemMessage(change: Change): string {
  const { level, kind, surface, subject, message, operations } = change;
  const where = operations.length > 1 ? `${surface}, ${operations.length} operations` : `${surface}, ${operations[0]}`;
  if (level !== 'breaking')
    return `${kind} (${where}): ${message}\n  Name ${subject} or its path under "## Unreleased" in CHANGELOG.md.`;
  return (
    `breaking: ${kind} (${where}): ${message}\n` +
    '  Take it back, or announce it under "## Unreleased" in CHANGELOG.md:\n' +
    `    - breaking(${kind}) ${subject}: <what callers must do>`
  );
}

export const countOf = (changes: readonly Change[], level: Level): number =>
  changes.filter((change) => change.level === level).length;
