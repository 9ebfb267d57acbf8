import type { Plugin, ReportRecord, Shop } from './site-state.ts';

/**
 * This file generates what plugins recorded in the last two months. The records are the same on each site and use no
 * random numbers, so that the generated sites stay the same for each seed.
 */

const DAY = 86_400;
const WEEKS = [0, 1, 2, 3, 4, 5, 6, 7];
const CLEAN = 'Scan complete. Congratulations, no new problems found.';
const SCANNED = 'Scan complete. You have 2 new issues to fix. See below.';

export function generateMaintenanceRecords(plugins: ReadonlyMap<string, Plugin>, now: number): ReportRecord[] {
  const recorded = (what: string, daysAgo: number, values: Record<string, string>): ReportRecord => {
    const [context = '', action = ''] = what.split('.');
    return { at: now - daysAgo * DAY - DAY / 2, context, action, author: '', values };
  };
  const hasWordfence = plugins.get('wordfence/wordfence.php')?.active ?? false;
  return [
    ...WEEKS.map((week) => recorded('backup.created', week * 7, { type: 'database, plugins, themes, uploads' })),
    ...WEEKS.map((week) => recorded('sucuri.checks', week * 7 + 1, { status: 'Verified Clear', webtrust: 'Trusted' })),
    ...[5, 35].map((daysAgo) =>
      recorded('maintenance.process', daysAgo, {
        details: 'Delete spam comments, Optimize database tables',
        result: 'Maintenance Performed',
      }),
    ),
    ...(hasWordfence ? WEEKS : []).map((week) =>
      recorded(
        'wordfence.scan',
        week * 7 + 2,
        week === 3 ? { result: 'Issues Detected', details: SCANNED } : { result: 'No issues detected', details: CLEAN },
      ),
    ),
  ];
}

export function generateShop(now: number): Shop {
  const orders = Array.from({ length: 30 }, (_, index) => ({
    at: now - index * 2 * DAY - DAY / 4,
    product: index % 3 === 0 ? 'Gift card' : 'Rye bread',
    quantity: 1 + (index % 4),
    total: 12.5 * (1 + (index % 4)),
  }));
  return { currency: '&euro;', orders, awaiting: 2, onHold: 1, lowStock: 3, outOfStock: 1 };
}
