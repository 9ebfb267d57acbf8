import type { Contract } from '../../contract/index.ts';
import type { ModuleSwitch } from '../../http/ports.ts';
import type { Logger } from '../../shared/logger.ts';
import type { ConfirmationParts } from './confirmations.ts';

/** What MCP needs of the service. */
export interface McpParts extends ConfirmationParts {
  contract: Contract;
  modules: ModuleSwitch;
  logger: Logger;
  /** How long a client is kept waiting for a job. */
  waitMs: number;
  /** Most characters of an answer that are shown at once. */
  outputLimit: number;
  /** Nobody is kept waiting while the process ends. */
  isStopping: () => boolean;
}
