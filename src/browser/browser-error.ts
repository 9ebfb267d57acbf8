import type { BrowserFault } from './process-messages.ts';

export class BrowserError extends Error {
  override readonly name = 'BrowserError';
  readonly fault: BrowserFault;
  readonly detail: string;
  constructor(fault: BrowserFault, detail: string) {
    super(`The browser failed: ${fault}.`);
    this.fault = fault;
    this.detail = detail;
  }
}
