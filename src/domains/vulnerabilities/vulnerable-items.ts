import { NotFoundError } from '../../shared/errors.ts';
import type { ModuleService } from '../modules/index.ts';
import { configuredFeeds, type FeedSettings } from './feed-settings.ts';

export class VulnerableItems {
  readonly #modules: Pick<ModuleService, 'isActive'>;
  readonly #settings: FeedSettings;

  constructor(modules: Pick<ModuleService, 'isActive'>, settings: FeedSettings) {
    this.#modules = modules;
    this.#settings = settings;
  }

  /** Returns false if no feed is configured. Throws `svc_module_not_available`. */
  async areKnown(): Promise<boolean> {
    if (!(await this.#modules.isActive('vulnerabilities')))
      throw new NotFoundError('svc_module_not_available', 'The module for vulnerabilities is not active.');
    return configuredFeeds(this.#settings).length > 0;
  }
}
