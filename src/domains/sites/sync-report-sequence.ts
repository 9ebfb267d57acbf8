import { WHOLE_REPORT, type SyncCheckpoint } from './site-repository.ts';
import type { SiteStatePatch } from './sync-section.ts';

/**
 * Order of one report among the reports of its site. The turns in which a site is called have rising numbers, and a
 * report has the number of its turn. Reports may be stored in another order, because other work happens between sending
 * and storing. A section is stored only if no later report with that section is stored already.
 */
export class SyncReportSequence {
  readonly #stored: SyncCheckpoint;
  readonly #number: number;

  constructor(stored: SyncCheckpoint, number = stored.reportNumber + 1) {
    this.#stored = stored;
    this.#number = number;
  }

  isLatest(section: string): boolean {
    const { sectionNumbers } = this.#stored;
    return this.#number >= (sectionNumbers[section] ?? sectionNumbers[WHOLE_REPORT] ?? 0);
  }

  afterWhole(): SiteStatePatch {
    const whole = Math.max(this.#number, this.#stored.sectionNumbers[WHOLE_REPORT] ?? 0);
    const later = Object.entries(this.#stored.sectionNumbers).filter(([, number]) => number > whole);
    return this.#columns({ ...Object.fromEntries(later), [WHOLE_REPORT]: whole });
  }

  /** Returns the columns to store after a report. `sections` are those that no later report has stored. */
  after(sections: readonly string[]): SiteStatePatch {
    const numbers = Object.fromEntries(sections.map((section) => [section, this.#number]));
    return this.#columns({ ...this.#stored.sectionNumbers, ...numbers });
  }

  #columns(numbers: Record<string, number>): SiteStatePatch {
    const report_number = Math.max(this.#number, this.#stored.reportNumber);
    return { report_number, section_numbers: JSON.stringify(numbers) };
  }
}
