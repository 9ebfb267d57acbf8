import type { Knex } from 'knex';
import { DAY, type Clock } from '../../shared/clock.ts';
import {
  durationInWords,
  updateErrorInWords,
  type MailBodyBlock,
  type MailBodySection,
  type UnrenderedMail,
} from '../mail/index.ts';
import type { Formats, SettingsService } from '../settings/index.ts';
import {
  DigestReadModel,
  type DigestSite,
  type FixedVulnerability,
  type LimitedList,
  type PendingUpdatesOfSite,
} from './digest-read-model.ts';

/** A digest covers the time since the last one, up to this time. */
const LONGEST_MS = 7 * DAY;

export interface DailyDigestDeps {
  clock: Clock;
  isModuleActive: (trx: Knex, slug: 'pro-reports') => Promise<boolean>;
  settings: SettingsService;
  formats: Formats;
}

type DigestBlockDetails = Pick<MailBodyBlock, 'tone' | 'badge' | 'facts'>;

export class DailyDigest {
  readonly #deps: DailyDigestDeps;

  constructor(deps: DailyDigestDeps) {
    this.#deps = deps;
  }

  /** `lastRunAt` is the time of the last digest, or null if there was none. */
  async message(trx: Knex, lastRunAt: number | null): Promise<UnrenderedMail | null> {
    const { clock, settings, formats, isModuleActive } = this.#deps;
    const { show_language_updates: translations, numberdays_outdate_plugin_theme: days } = settings.current('general');
    const fleet = new DigestReadModel(trx);
    const now = clock.now();
    // A last run in the future was stored while a clock was ahead.
    const since = lastRunAt === null || lastRunAt > now ? now - DAY : Math.max(lastRunAt, now - LONGEST_MS);
    const updates = await fleet.pendingUpdates(translations === 1);
    const down = await fleet.downSites(settings.current('monitoring').svc_uptime_monitoring_active === 1);
    const disconnected = await fleet.disconnectedSites();
    const failing = await fleet.failingSyncs();
    const broken = await fleet.brokenByUpdates();
    const left = await fleet.leftGuardFiles();
    const failed = await fleet.failedUpdates(since);
    const unconfirmed = await fleet.unconfirmedUpdates(since);
    const fixed = await fleet.fixedVulnerabilities(since);
    const certificates = await fleet.expiringCertificates(now);
    // Whole days are counted, as in the lists of abandoned plugins and themes.
    const abandoned = await fleet.countAbandoned((Math.floor(now / DAY) - days + 1) * DAY);
    const held = (await isModuleActive(trx, 'pro-reports')) ? await fleet.countWaitingReports() : 0;
    const sections = [
      this.#section('Down', down, ({ cause, since }) => ({
        tone: 'bad',
        badge: 'Down',
        facts: [
          { label: 'Down since', value: formats.dateTime(since) },
          { label: 'Duration', value: durationInWords(now - since) },
          { label: 'Cause', value: cause },
        ],
      })),
      this.#section('Disconnected', disconnected, () => ({ tone: 'bad', badge: 'Disconnected', facts: [] })),
      this.#section('Failing syncs', failing, ({ message, since }) => ({
        tone: 'bad',
        badge: 'Sync failed',
        facts: [
          { label: 'At', value: formats.dateTime(since) },
          { label: 'Cause', value: message },
        ],
      })),
      this.#section('Broken by an update', broken, () => ({ tone: 'bad', badge: 'Broken', facts: [] })),
      this.#section('Guard files left after updates', left, ({ path, since }) => ({
        tone: 'bad',
        badge: 'Guard file left',
        facts: [
          { label: 'File', value: path },
          { label: 'Since', value: formats.dateTime(since) },
        ],
      })),
      this.#section('Failed scheduled updates', failed, ({ updates, since }) => ({
        tone: 'bad',
        badge: 'Update failed',
        facts: [{ label: 'At', value: formats.dateTime(since) }, ...updates.map(updateErrorInWords)],
      })),
      this.#section('Scheduled updates that could not be confirmed', unconfirmed, ({ updates, since }) => ({
        tone: 'warn',
        badge: 'Not confirmed',
        facts: [{ label: 'At', value: formats.dateTime(since) }, ...updates.map(updateErrorInWords)],
      })),
      this.#section('Vulnerabilities fixed automatically', fixed, (fix) => ({
        tone: 'info',
        badge: 'Fixed',
        facts: [{ label: fix.item, value: fixInWords(fix) }],
      })),
      this.#section('Certificates', certificates, ({ isValid, expiresAt }) => ({
        tone: isValid ? 'warn' : 'bad',
        badge: isValid ? 'Expires soon' : 'Not valid',
        facts:
          expiresAt === null
            ? []
            : [{ label: expiresAt < now ? 'Expired' : 'Expires', value: formats.date(expiresAt) }],
      })),
      this.#section(`Updates waiting: ${updates.updates}`, updates, ({ counts }) => ({
        tone: 'info',
        badge: 'Updates',
        facts: [{ label: 'Waiting', value: pendingUpdatesInWords(counts) }],
      })),
      buildAbandonedMailSection(abandoned, days),
      buildWaitingReportsSection(held),
    ].filter((section) => section !== null);
    if (sections.length === 0) return null;
    const inWords = [
      countWithNoun(down.total, 'down', 'down'),
      countWithNoun(updates.updates, 'update', 'updates'),
      countWithNoun(disconnected.total, 'disconnected', 'disconnected'),
      countWithNoun(failing.total, 'failing sync', 'failing syncs'),
      countWithNoun(broken.total, 'broken by an update', 'broken by updates'),
      countWithNoun(left.total, 'guard file left', 'guard files left'),
      countWithNoun(failed.total, 'failed update run', 'failed update runs'),
      countWithNoun(unconfirmed.total, 'unconfirmed update run', 'unconfirmed update runs'),
      countWithNoun(fixed.total, 'vulnerability fixed', 'vulnerabilities fixed'),
      countWithNoun(certificates.total, 'certificate', 'certificates'),
      countWithNoun(sumCounts(abandoned), 'abandoned', 'abandoned'),
      countWithNoun(held, 'report waits for release', 'reports wait for release'),
    ];
    const status = inWords.filter((words) => words !== '').join(', ');
    return {
      type: 'daily_digest',
      message: {
        intro: `On ${formats.date(now)}, the fleet needs attention: ${status}.`,
        sections,
      },
      tokens: { site: 'the fleet', count: String(sections.length), status },
    };
  }

  #section<Line extends DigestSite>(
    title: string,
    { lines, total }: LimitedList<Line>,
    about: (line: Line) => DigestBlockDetails,
  ): MailBodySection | null {
    if (total === 0) return null;
    const items = lines.map((line) => ({
      ...about(line),
      title: line.name.trim() || withoutScheme(line.url),
      address: line.url,
    }));
    return { title, items, more: total - lines.length };
  }
}

const countWithNoun = (count: number, one: string, many: string): string =>
  count === 0 ? '' : `${count} ${count === 1 ? one : many}`;

const sumCounts = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');

function pendingUpdatesInWords({
  core_updates: core = 0,
  plugin_updates: plugin = 0,
  theme_updates: theme = 0,
  translation_updates: translation = 0,
}: PendingUpdatesOfSite['counts']): string {
  return [
    core > 0 ? 'WordPress' : '',
    countWithNoun(plugin, 'plugin', 'plugins'),
    countWithNoun(theme, 'theme', 'themes'),
    countWithNoun(translation, 'translation', 'translations'),
  ]
    .filter((words) => words !== '')
    .join(', ');
}

const KINDS: Record<string, string> = { plugin: 'Plugins', theme: 'Themes' };

function buildAbandonedMailSection(counts: Record<string, number>, days: number): MailBodySection | null {
  const facts = Object.entries(counts).map(([kind, count]) => ({ label: KINDS[kind] ?? kind, value: String(count) }));
  if (facts.length === 0) return null;
  const title = `Without an update for ${days} days`;
  return {
    title: 'Abandoned',
    items: [{ tone: 'warn', badge: 'Abandoned', title, address: null, facts }],
    more: 0,
  };
}

function buildWaitingReportsSection(count: number): MailBodySection | null {
  if (count === 0) return null;
  const title = `${countWithNoun(count, 'report waits', 'reports wait')} for release`;
  return { title: 'Reports', items: [{ tone: 'warn', badge: 'Waiting', title, address: null, facts: [] }], more: 0 };
}

const fixInWords = ({ action, oldVersion, newVersion }: FixedVulnerability): string => {
  if (action === 'deactivate') return `Version ${oldVersion} was deactivated, because no fix is known.`;
  if (action === 'activate') return `Version ${oldVersion} was activated again.`;
  return `Version ${newVersion} was installed in place of ${oldVersion}.`;
};
