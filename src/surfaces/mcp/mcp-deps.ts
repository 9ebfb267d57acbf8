import type { ModuleStatus } from '../../http/ports.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import type { ConfirmationDeps } from './confirmations.ts';
import type { Contracts } from './operation-catalog.ts';

export interface McpDeps extends ConfirmationDeps {
  contracts: Contracts;
  modules: ModuleStatus;
  logger: Logger;
  /** URL of the service without a slash at its end. */
  publicUrl: string;
  waitMs: number;
  outputLimit: number;
  /** Returns a text that is equal for scopes with the same sites. A changed text ends the long outputs of a caller. */
  scopeKey: (scope: SiteScope) => Promise<string>;
  /** True if the process is shutting down. Calls then stop waiting for jobs. */
  isStopping: () => boolean;
}
