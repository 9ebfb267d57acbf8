import type { Knex } from 'knex';
import type { Clock } from '../../shared/clock.ts';
import type { SettingsService } from '../settings/index.ts';
import { ClosingReleasesReadModel, type HoldFilter } from './closing-releases-read-model.ts';
import { holdRuleOf, type HoldRule } from './hold-rule.ts';
import type { VulnerabilityDataStatus } from './vulnerability-data-status.ts';

export class MinimumAge {
  readonly #deps: { settings: Pick<SettingsService, 'current'>; clock: Clock; vulnerable: VulnerabilityDataStatus };

  constructor(deps: { settings: Pick<SettingsService, 'current'>; clock: Clock; vulnerable: VulnerabilityDataStatus }) {
    this.#deps = deps;
  }

  rule(): HoldRule | null {
    return holdRuleOf(this.#deps.settings.current('general'), this.#deps.clock.now());
  }

  /**
   * Returns the rule with the releases that it lets through because they fix a vulnerability. Without data about
   * vulnerabilities, there are no such releases.
   */
  async filterOf(knex: Knex, rule: HoldRule | null | undefined): Promise<HoldFilter | undefined> {
    if (!rule) return undefined;
    const areKnown = await this.#deps.vulnerable.areKnownIfActive();
    return { rule, closing: areKnown ? await new ClosingReleasesReadModel(knex).all(rule) : [] };
  }
}
