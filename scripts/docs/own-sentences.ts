/** Removes sentences about other operations from texts that operations share. */
import type { OperationEntry } from './entries.ts';

export type DocumentedOperation = Pick<OperationEntry, 'id' | 'part' | 'place'>;

const SENTENCE_END = /(?<=\.)\s+/;

/** True for updates and actions on plugins and themes. If their outcome is unknown, a job checks the site again. */
const changesSoftware = (entry: DocumentedOperation): boolean =>
  entry.part === 'updates' || /plugin|theme/.test(entry.id);
const returnsPdf = ({ place }: DocumentedOperation): boolean =>
  JSON.stringify(place.operation.responses).includes('application/pdf');

/** A sentence that begins like this is only shown for operations that it concerns. */
const CONDITIONS: readonly (readonly [RegExp, (entry: DocumentedOperation) => boolean])[] = [
  [/^(After an update, or an action on plugins|If there is a `(data\.)?job_id`)/, changesSoftware],
  [/^In results of updates,/, ({ part }) => part === 'updates'],
  [/^(Or a PDF was requested|If the message names Chromium)/, returnsPdf],
  [/^(A plugin can have been|The child plugin and must-use)/, ({ id }) => !id.includes('theme')],
  [/^(The active theme and its parent|To delete a theme)/, ({ id }) => !id.includes('plugin')],
  [/^In an edit,/, ({ id }) => !id.endsWith('_create')],
];

/** Jobs have the errors of all operations. */
export const keepOwnSentences = (text: string, entry: DocumentedOperation): string =>
  entry.part === 'jobs' ? text : keepSentences(text, (sentence) => concerns(sentence, entry));

const concerns = (sentence: string, entry: DocumentedOperation): boolean =>
  CONDITIONS.every(([opening, isConcerned]) => !opening.test(sentence) || isConcerned(entry));

/** Removes the sentences "With `svc_…`, …" about codes that no item of the page has. */
export const keepSentencesOfCodes = (text: string, codes: readonly string[]): string =>
  keepSentences(text, (sentence) => {
    const [, code] = /^With `(svc_\w+)`,/.exec(sentence) ?? [];
    return code === undefined || codes.includes(code);
  });

const keepSentences = (text: string, isKept: (sentence: string) => boolean): string =>
  text.split(SENTENCE_END).filter(isKept).join(' ');
