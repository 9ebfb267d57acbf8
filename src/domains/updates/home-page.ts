import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../shared/clock.ts';
import type { SettingsService } from '../settings/index.ts';
import { attempt } from '../sites/index.ts';

export interface HomePageParts {
  settings: Pick<SettingsService, 'current'>;
  /** HTTP status of a site's home page; 0 without an answer. */
  ask: (siteId: number, method: 'get' | 'head') => Promise<number>;
  /** How long after a look that found it broken it is looked at again. */
  againAfterMs?: number | undefined;
}

/** PHP may run the files of before for some seconds (opcache), and with them a mixture. */
const AGAIN_AFTER = 3 * SECOND;

/** The home pages of the sites, as they are looked at before and after updates. */
export class HomePage {
  readonly #parts: HomePageParts;

  constructor(parts: HomePageParts) {
    this.#parts = parts;
  }

  /** Whether the settings ask for looks around every update. */
  isChecked(): boolean {
    return this.#parts.settings.current('general').check_http_response === 1;
  }

  /** Null where it may not be asked, as behind a redirect into a network that is not called. */
  async look(siteId: number): Promise<number | null> {
    const method = this.#parts.settings.current('general').check_http_response_method;
    const { value: status } = await attempt(() => this.#parts.ask(siteId, method));
    return status;
  }

  /** The same, and once more where that found it broken: a single look that failed says nothing. */
  async lookTwice(siteId: number, before: number): Promise<number | null> {
    const status = await this.look(siteId);
    if (status === null || !this.isBroken(status, before)) return status;
    await sleep(this.#parts.againAfterMs ?? AGAIN_AFTER);
    return this.look(siteId);
  }

  /** Whether somebody who asks for it is answered. */
  answers(status: number): boolean {
    return this.#isAccepted(status) || (status > 0 && status < 500);
  }

  /** Broken is what answered before, and now answers no more, or no longer as it should. */
  isBroken(status: number, before: number): boolean {
    return this.answers(before) && !(this.#isAccepted(status) || (this.answers(status) && !this.#isAccepted(before)));
  }

  #isAccepted(status: number): boolean {
    return this.#parts.settings.current('monitoring').svc_uptime_monitoring_up_status_codes.includes(status);
  }
}
