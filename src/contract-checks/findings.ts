import type { BodyViolation } from './body-violations.ts';

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
  subject: string;
  outcome: Outcome;
  message: string;
  violations?: BodyViolation[];
}

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

  fail(law: Rule, subject: string, message: string, violations: readonly BodyViolation[] = []): void {
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

  expect(
    law: Rule,
    subject: string,
    holds: boolean,
    message: string,
    violations: readonly BodyViolation[] = [],
  ): boolean {
    if (holds) this.passed(law, subject);
    else this.fail(law, subject, message, violations);
    return holds;
  }
}
