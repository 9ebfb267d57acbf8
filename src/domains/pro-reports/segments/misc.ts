import { toIso } from '../../../shared/clock.ts';
import type { TaskRecord } from '../../time-tracker/index.ts';
import type { ReportItem } from '../report.ts';
import { defineSegment } from '../segment.ts';

export const misc = defineSegment({
  name: 'misc',
  fields: ['kind', 'name', 'version', 'active', 'day', 'duration_seconds'],
  tokens: { kind: 'report' },
  async read(sources, { range, maxItems }) {
    const [record, { plugins, themes }, client, tasks] = await Promise.all([
      sources.record(),
      sources.inventory(),
      sources.client(),
      sources.tasks(),
    ]);
    const installed = [
      ...plugins.map((plugin) => installedItem('plugin', plugin)),
      ...themes.map((theme) => installedItem('theme', theme)),
    ];
    const { formats, now } = sources;
    return {
      source: 'site',
      items: [...installed.slice(0, maxItems), ...tasks.newest.map(taskItem)],
      total: installed.length + tasks.count,
      counts: { plugins: plugins.length, themes: themes.length, tasks: tasks.count, task_seconds: tasks.seconds },
      summary: {
        client_name: client?.name ?? null,
        client_email: client?.email ?? null,
        client_phone: client?.phone ?? null,
        client_address: client && [client.address1, client.address2].filter(Boolean).join(', '),
        client_city: client?.city ?? null,
        client_state: client?.state ?? null,
        client_zip: client?.zip ?? null,
        client_country: client?.country ?? null,
        site_name: sources.site.name,
        site_url: sources.site.url,
        core_version: record?.wpVersion ?? null,
        php_version: record?.phpVersion ?? null,
        last_sync: toIso(record?.lastSyncAt ?? null),
        read_at: toIso(record?.stateReadAt ?? null),
        date_range: `${formats.day(range.startDate)} - ${formats.day(range.endDate)}`,
        send_date: formats.date(now),
      },
    };
  },
});

const installedItem = (
  kind: string,
  { name, version, active }: { name: string; version: string; active: boolean },
) => ({
  ...{ kind, name, version, active },
  ...{ day: null, duration_seconds: null },
});

const taskItem = ({ title, taskDate, elapsedSeconds }: TaskRecord): ReportItem => ({
  ...{ kind: 'task', name: title, version: null, active: null },
  ...{ day: taskDate, duration_seconds: elapsedSeconds },
});
