import type { Violation } from './violations.ts';

/** Rules that a service must follow. */
export type Rule =
  | 'contract'
  | 'credentials'
  | 'answers'
  | 'headers'
  | 'refusals'
  | 'paging'
  | 'order'
  | 'fields'
  | 'tags of records';

export type Outcome = 'passed' | 'failed' | 'skipped';

export interface Finding {
  law: Rule;
  /** The operation, or another checked subject. */
  subject: string;
  outcome: Outcome;
  /** Reason of a failure or of a skipped check. */
  message: string;
  /** Places of a response that do not follow the contract. Only for failures that have places. */
  violations?: Violation[];
}

/** Collects the results, one per rule and subject. */
export class Findings {
  readonly #all = new Map<string, Finding>();

  get all(): Finding[] {
    return [...this.#all.values()];
  }

  get failed(): Finding[] {
    return this.all.filter(({ outcome }) => outcome === 'failed');
  }

  passed(law: Rule, subject: string, message = ''): void {
    const key = `${law} ${subject}`;
    if (!this.#all.has(key)) this.#all.set(key, { law, subject, outcome: 'passed', message });
  }

  skipped(law: Rule, subject: string, message: string): void {
    this.#all.set(`${law} ${subject}`, { law, subject, outcome: 'skipped', message });
  }

  fail(law: Rule, subject: string, message: string, violations: readonly Violation[] = []): void {
    const key = `${law} ${subject}`;
    const known = this.#all.get(key);
    const before = known?.outcome === 'failed' ? known : undefined;
    const messages = before ? `${before.message}\n${message}` : message;
    const all = [...(before?.violations ?? []), ...violations];
    this.#all.set(key, {
      ...{ law, subject, outcome: 'failed', message: messages },
      ...(all.length > 0 && { violations: all }),
    });
  }

  /** Records a passed check if `holds` is true, otherwise a failure. Returns `holds`. */
  expect(law: Rule, subject: string, holds: boolean, message: string, violations: readonly Violation[] = []): boolean {
    if (holds) this.passed(law, subject);
    else this.fail(law, subject, message, violations);
    return holds;
  }
}
