import type { ReportFormats } from './report-formats.ts';

/** Time when a value was read. If the value is about several sites, these are the first and the last of their times. */
export interface AsOf {
  first: number;
  last: number;
}

/** Value that is about the day on which it was read, and not about the period of the report. */
export interface StateValue extends AsOf {
  value: number;
}

/** Part of a sentence, such as `6 updates are available`. */
export interface StateClause {
  asOf: AsOf;
  text: string;
}

export const asOfTime = (time: number): AsOf => ({ first: time, last: time });

export const stateValueAt = (value: number | null, at: number | null): StateValue | null =>
  value === null || at === null ? null : { value, ...asOfTime(at) };

export function combineStateValues(
  values: readonly (StateValue | null)[],
  combine: (values: readonly number[]) => number,
): StateValue | null {
  const present = values.filter((each) => each !== null);
  return present.length === 0 ? null : { value: combine(present.map(({ value }) => value)), ...combineAsOf(present) };
}

export const combineAsOf = (times: readonly AsOf[]): AsOf => ({
  first: Math.min(...times.map(({ first }) => first)),
  last: Math.max(...times.map(({ last }) => last)),
});

export function formatAsOf({ first, last }: AsOf, formats: ReportFormats): string {
  const [from, to] = [formats.date(first), formats.date(last)];
  return from === to
    ? formats.text('as_of.day', { date: from })
    : formats.text('as_of.between', { first: from, last: to });
}

/** Returns an empty array if there is no value, or if `write` returns null because the value needs no words. */
export const stateClause = (value: StateValue | null, write: (value: number) => string | null): StateClause[] => {
  const text = value && write(value.value);
  return value && text ? [{ asOf: value, text }] : [];
};

/** Returns one sentence for each day, so that no sentence is about two days. */
export function stateSentencesOf(clauses: readonly StateClause[], formats: ReportFormats): string[] {
  const textsByDay = new Map<string, string[]>();
  for (const { asOf, text } of clauses) {
    const day = formatAsOf(asOf, formats);
    textsByDay.set(day, [...(textsByDay.get(day) ?? []), text]);
  }
  return [...textsByDay].map(([day, texts]) => formats.text('as_of.sentence', { day, clauses: texts.join('; ') }));
}
