import { MINUTE, toIso } from '../../../shared/clock.ts';
import type { KnownBackup } from '../../backups/index.ts';
import type { ReportItem } from '../report.ts';
import { emptySegmentContent, defineSegment } from '../segment.ts';

interface Backup {
  at: number;
  type: string | null;
  destination: string | null;
}

export const backups = defineSegment({
  name: 'backups',
  actions: ['created'],
  asksSite: true,
  fields: ['action', 'type', 'destination', 'date'],
  tokens: { kind: 'backup' },
  async read(sources, { range: { from, until }, maxItems }) {
    const [report, known] = await Promise.all([sources.childReport(), sources.backups()]);
    const recorded = report.backups.items.map(({ at, type }): Backup => ({
      at,
      type: type || null,
      destination: null,
    }));
    const further = known
      .filter(({ takenAt }) => takenAt >= from && takenAt < until && !recorded.some(({ at }) => isSame(at, takenAt)))
      .map(({ takenAt, provider }: KnownBackup): Backup => ({ at: takenAt, type: null, destination: provider }));
    const all = [...recorded, ...further].sort((a, b) => b.at - a.at);
    const counts = { created: all.length };
    if (all.length === 0 && !report.available) return emptySegmentContent(counts);
    return {
      source: report.available ? 'child-reports' : 'backups',
      items: all.slice(0, maxItems).map(backupItem),
      total: all.length,
      counts,
      summary: {},
    };
  },
});

/** True if both times belong to the same backup. A backup can be recorded twice, with its start and with its end. */
const isSame = (one: number, other: number): boolean => Math.abs(one - other) < MINUTE;

const backupItem = ({ at, type, destination }: Backup): ReportItem => ({
  action: 'created',
  type,
  destination,
  date: toIso(at),
});
