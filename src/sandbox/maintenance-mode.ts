import type { ServerResponse } from 'node:http';
import { splitCommaList, textField, type PhpFormFields } from './protocol/form.ts';
import type { SimulatedSite } from './site.ts';

export const updatesActivePlugin = (site: SimulatedSite, fields: PhpFormFields): boolean =>
  textField(fields, 'type') === 'plugin' &&
  splitCommaList(textField(fields, 'list')).some((file) => site.state.plugins.get(file)?.active === true);

/**
 * Keeps the site in maintenance mode until the response can be sent. If the caller hangs up earlier, PHP ends at its
 * first output. WordPress has not deleted the `.maintenance` file by then (recorded from real sites).
 */
export async function maintain(site: SimulatedSite, response: ServerResponse, ms: number): Promise<void> {
  const startedAt = site.now();
  site.maintenance += 1;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  site.maintenance -= 1;
  if (response.destroyed) leaveMaintenanceFile(site, startedAt);
}

/**
 * Leaves the `.maintenance` file on the site, unless the site has a guard file. A guard file makes PHP continue after
 * the caller has hung up, and WordPress then deletes the `.maintenance` file.
 */
export function leaveMaintenanceFile(site: SimulatedSite, startedAt: number): void {
  if (site.state.guardFiles.size === 0) site.maintenanceFile = startedAt;
}
