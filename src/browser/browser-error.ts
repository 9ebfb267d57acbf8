import type { BrowserFault } from './messages.ts';

/** Work of a browser that came to nothing. */
export class BrowserError extends Error {
  override readonly name = 'BrowserError';
  readonly fault: BrowserFault;
  /** For the log alone. */
  readonly detail: string;
  constructor(fault: BrowserFault, detail: string) {
    super(`The browser came to nothing: ${fault}.`);
    this.fault = fault;
    this.detail = detail;
  }
}
