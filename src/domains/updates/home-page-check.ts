import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../shared/clock.ts';
import type { SettingsService } from '../settings/index.ts';
import { attemptCall } from '../sites/index.ts';

export interface HomePageCheckDeps {
  settings: Pick<SettingsService, 'current'>;
  /** Returns the HTTP status, or 0 without a response. */
  ask: (siteId: number, method: 'get' | 'head') => Promise<number>;
  againAfterMs?: number | undefined;
}

/** Delay before the second check. For some seconds PHP may run a mixture of old and new files (opcache). */
const AGAIN_AFTER = 3 * SECOND;

export class HomePageCheck {
  readonly #deps: HomePageCheckDeps;

  constructor(deps: HomePageCheckDeps) {
    this.#deps = deps;
  }

  isChecked(): boolean {
    return this.#deps.settings.current('general').check_http_response === 1;
  }

  /** Returns null if the request is not allowed, for example because of a redirect into a blocked network. */
  async check(siteId: number): Promise<number | null> {
    const method = this.#deps.settings.current('general').check_http_response_method;
    const { value: status } = await attemptCall(() => this.#deps.ask(siteId, method));
    return status;
  }

  /** Checks a second time if the page is broken, because a single failed check proves nothing. */
  async checkTwice(siteId: number, before: number): Promise<number | null> {
    const status = await this.check(siteId);
    if (status === null || !this.isBroken(status, before)) return status;
    await sleep(this.#deps.againAfterMs ?? AGAIN_AFTER);
    return this.check(siteId);
  }

  isResponding(status: number): boolean {
    return this.#isAccepted(status) || (status > 0 && status < 500);
  }

  /** True if the page responded before and does not respond anymore, or if it has lost an accepted status. */
  isBroken(status: number, before: number): boolean {
    return (
      this.isResponding(before) &&
      !(this.#isAccepted(status) || (this.isResponding(status) && !this.#isAccepted(before)))
    );
  }

  #isAccepted(status: number): boolean {
    return this.#deps.settings.current('monitoring').svc_uptime_monitoring_up_status_codes.includes(status);
  }
}
