import type { SimulatedSite } from '../../src/sandbox/index.ts';

const REPORTS = 'mainwp-child-reports/mainwp-child-reports.php';

/** Makes the site keep records from now on. */
export function enableReportsPlugin(site: SimulatedSite): void {
  site.performWpAdminAction({ do: 'install-plugin', folder: 'mainwp-child-reports' });
  site.performWpAdminAction({ do: 'activate-plugin', plugin: REPORTS });
  site.state.reports = [];
  site.state.fendedOff = [];
}

export function disableReportsPlugin(site: SimulatedSite): void {
  site.state.plugins.delete(REPORTS);
}

/** Converts `2026-11-20 10:00:00` in UTC to seconds. */
const secondOf = (time: string): number => Date.parse(`${time.replace(' ', 'T')}Z`) / 1000;

/** Stores a record of a plugin, such as `backup.created` or `wordfence.scan`. */
export function addReportRecord(
  site: SimulatedSite,
  what: string,
  time: string,
  values: Record<string, string> = {},
): void {
  const [context = '', action = ''] = what.split('.');
  site.state.reports.push({ at: secondOf(time), context, action, author: 'admin', values });
}

type Kind = SimulatedSite['state']['fendedOff'][number]['kind'];

export function addBlockedAttacks(site: SimulatedSite, kind: Kind, time: string, count: number): void {
  site.state.fendedOff.push({ at: secondOf(time), kind, count });
}

export interface Sale {
  time: string;
  product: string;
  quantity: number;
  total: number;
}

/**
 * Gives the site a shop with these sales, 3 pending orders, 2 orders on hold, 4 products with low stock, and 1 that is
 * sold out.
 */
export function addSales(site: SimulatedSite, sales: readonly Sale[]): void {
  const orders = sales.map(({ time, ...sale }) => ({ at: secondOf(time), ...sale }));
  site.state.shop = { currency: '&euro;', orders, awaiting: 3, onHold: 2, lowStock: 4, outOfStock: 1 };
}
