/** What is held against a service, by law. */
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
  /** The operation, or what else was looked at. */
  subject: string;
  outcome: Outcome;
  /** What is wrong, or why it was not looked at. */
  message: string;
}

/** Collects what was looked at, each law and subject once. */
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

  fail(law: Rule, subject: string, message: string): void {
    const key = `${law} ${subject}`;
    const before = this.#all.get(key);
    const messages = before?.outcome === 'failed' ? `${before.message}\n${message}` : message;
    this.#all.set(key, { law, subject, outcome: 'failed', message: messages });
  }

  /** Fails unless something holds. */
  expect(law: Rule, subject: string, holds: boolean, message: string): boolean {
    if (holds) this.passed(law, subject);
    else this.fail(law, subject, message);
    return holds;
  }
}
