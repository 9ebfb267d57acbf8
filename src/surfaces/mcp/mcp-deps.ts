import type { Contract } from '../../contract/index.ts';
import type { ModuleStatus } from '../../http/ports.ts';
import type { Logger } from '../../shared/logger.ts';
import type { ConfirmationDeps } from './confirmations.ts';

export interface McpDeps extends ConfirmationDeps {
  contract: Contract;
  modules: ModuleStatus;
  logger: Logger;
  waitMs: number;
  outputLimit: number;
  /** True if the process is shutting down. Calls then stop waiting for jobs. */
  isStopping: () => boolean;
}
