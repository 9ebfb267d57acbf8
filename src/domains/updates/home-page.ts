import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../shared/clock.ts';
import type { SettingsService } from '../settings/index.ts';
import { attempt } from '../sites/index.ts';

export interface HomePageParts {
  settings: Pick<SettingsService, 'current'>;
  /** Returns the HTTP status of a site's home page, or 0 without a response. */
  ask: (siteId: number, method: 'get' | 'head') => Promise<number>;
  /** Delay before the second check of a broken page. Default: 3,000. */
  againAfterMs?: number | undefined;
}

/** For some seconds PHP may run a mixture of old and new files (opcache). */
const AGAIN_AFTER = 3 * SECOND;

export class HomePage {
  readonly #parts: HomePageParts;

  constructor(parts: HomePageParts) {
    this.#parts = parts;
  }

  isChecked(): boolean {
    return this.#parts.settings.current('general').check_http_response === 1;
  }

  /** Returns null if the request is not allowed, for example because of a redirect into a blocked network. */
  async look(siteId: number): Promise<number | null> {
    const method = this.#parts.settings.current('general').check_http_response_method;
    const { value: status } = await attempt(() => this.#parts.ask(siteId, method));
    return status;
  }

  /** Checks a second time if the page is broken, because a single failed check proves nothing. */
  async lookTwice(siteId: number, before: number): Promise<number | null> {
    const status = await this.look(siteId);
    if (status === null || !this.isBroken(status, before)) return status;
    await sleep(this.#parts.againAfterMs ?? AGAIN_AFTER);
    return this.look(siteId);
  }

  /** True if the page responds: with an accepted status, or with any status below 500. */
  answers(status: number): boolean {
    return this.#isAccepted(status) || (status > 0 && status < 500);
  }

  /** True if the page responded before and does not respond anymore, or if it has lost an accepted status. */
  isBroken(status: number, before: number): boolean {
    return this.answers(before) && !(this.#isAccepted(status) || (this.answers(status) && !this.#isAccepted(before)));
  }

  #isAccepted(status: number): boolean {
    return this.#parts.settings.current('monitoring').svc_uptime_monitoring_up_status_codes.includes(status);
  }
}
