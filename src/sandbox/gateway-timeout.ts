import type { ServerResponse } from 'node:http';
import { leaveMaintenanceFile, updatesActivePlugin } from './maintenance-mode.ts';
import { serverErrorPage } from './outages.ts';
import { textField, type PhpFormFields } from './protocol/form.ts';
import { resetConnection } from './reset-connection.ts';
import type { SimulatedSite } from './site.ts';

/** Functions that print HTML from the start. Their status line has been sent before the gateway gives up. */
const PRINTS_AT_ONCE = new Set(['upgrade', 'upgradeplugintheme', 'upgradetranslation']);

export interface GatewayTimeout {
  doneMs: number;
  giveUpMs?: number;
  leavesMaintenance?: true;
}

export function continueAfterTimeout(
  site: SimulatedSite,
  fields: PhpFormFields,
  response: ServerResponse,
  { doneMs, giveUpMs = 0, leavesMaintenance }: GatewayTimeout,
  work: () => unknown,
): void {
  const after = (ms: number, then: () => void): void => void setTimeout(then, ms).unref();
  const startedAt = site.now();
  const maintained = maintenanceStartMs(site, fields, doneMs);
  if (maintained !== null) after(maintained, () => (site.maintenance += 1));
  after(doneMs, () => {
    if (maintained !== null) site.maintenance -= 1;
    if (maintained === 0 && leavesMaintenance) leaveMaintenanceFile(site, startedAt);
    work();
    site.touch();
  });
  after(giveUpMs, () => sendTimeoutResponse(response, textField(fields, 'function')));
}

/**
 * Returns the milliseconds until maintenance mode begins, or null if it does not. For an active plugin it begins
 * immediately, for a core update when the files are copied.
 */
function maintenanceStartMs(site: SimulatedSite, fields: PhpFormFields, doneMs: number): number | null {
  const name = textField(fields, 'function');
  if (name === 'upgrade') return doneMs * 0.8;
  return name === 'upgradeplugintheme' && updatesActivePlugin(site, fields) ? 0 : null;
}

function sendTimeoutResponse(response: ServerResponse, name: string): void {
  if (!PRINTS_AT_ONCE.has(name)) {
    const { status, headers, body } = serverErrorPage(504);
    response.writeHead(status, { ...headers, 'content-length': body.length });
    response.end(body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=UTF-8' });
  response.flushHeaders();
  // The headers must be sent before the connection is reset.
  setTimeout(() => resetConnection(response), 5).unref();
}
