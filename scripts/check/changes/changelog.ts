import { isBreakingKind, KINDS, type Change } from '../../../src/contract-checks/index.ts';

/** Line of the changelog that announces a breaking change. */
export interface Announcement {
  kind: string;
  subjects: string[];
  line: string;
}

export interface UnreleasedSection {
  announcements: Announcement[];
  /** The whole text, for finding mentions of an operation. */
  text: string;
  problems: string[];
}

const HEADING = /^## /;
const ANNOUNCEMENT = /^- breaking\(([^)]*)\) (.+?): (\S.*)$/;

/** True if the version has a heading of its own. */
export const isReleased = (changelog: string, version: string): boolean =>
  changelog.split('\n').some((line) => HEADING.test(line) && line.split(/\s+/)[1] === version);

/** Reads the part "Unreleased" of CHANGELOG.md. An announcement can continue in indented lines. */
export function readUnreleased(changelog: string): UnreleasedSection {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => /^## Unreleased\b/.test(line));
  const length = lines.slice(start + 1).findIndex((line) => HEADING.test(line));
  const own = start < 0 ? [] : lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
  const text = own.join('\n').replace(/\n {2,}(?=\S)/g, ' ');
  const unreleased: UnreleasedSection = { announcements: [], text, problems: [] };
  for (const line of text.split('\n')) {
    if (!/^- breaking\b/i.test(line)) continue;
    const [, kind = '', subjects = '', sentence] = ANNOUNCEMENT.exec(line) ?? [];
    if (sentence === undefined)
      unreleased.problems.push(
        `CHANGELOG.md: "${line}" must read "- breaking(<kind>) <what>: <what callers must do>".`,
      );
    else if (!isBreakingKind(kind))
      unreleased.problems.push(`CHANGELOG.md: breaking(${kind}) is none of ${KINDS.breaking.join(', ')}.`);
    else unreleased.announcements.push({ kind, subjects: subjects.split(/,\s*/), line });
  }
  return unreleased;
}

/** `things_edit__patch.body` is about a further verb (`x-also`) of `things_edit`. */
const FURTHER_VERB = /__[a-z]+(?=\.|$)/;

/**
 * True if an announcement is about a change: it names the subject or all operations that show the change. Readers of an
 * operation that is not named would miss it. A further verb is announced with its operation.
 */
export function announces({ kind, subjects }: Announcement, change: Change): boolean {
  const isNamed = (name: string): boolean =>
    subjects.includes(name) || subjects.includes(name.replace(FURTHER_VERB, ''));
  return kind === change.kind && (isNamed(change.subject) || change.operations.every(isNamed));
}

/** True if the changelog names a new or deprecated operation by its ID, its path, or the first segment of the path. */
export function isMentioned({ text }: UnreleasedSection, change: Change, path: string): boolean {
  const part = /^\/[a-z-]+/.exec(path)?.[0];
  const names = [change.subject, path, ...(part && part !== '/svc' ? [part] : [])];
  return names.some((name) => new RegExp(`(^|[^\\w/-])${escaped(name)}(?![\\w-])`, 'm').test(text));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
