import type { Knex } from 'knex';
import { DAY, type Clock } from '../../shared/clock.ts';
import type { LetterItem, LetterSection, NewLetter } from '../mail/index.ts';
import type { Formats, SettingsService } from '../settings/index.ts';
import { DigestReadModel, type Listed, type SiteLine } from './digest-read-model.ts';

export interface DigestParts {
  clock: Clock;
  settings: SettingsService;
  formats: Formats;
  publicUrl: string;
}

type About = Pick<LetterItem, 'tone' | 'badge' | 'facts'>;

/** What the fleet wants of its people today. */
export class Digest {
  readonly #parts: DigestParts;

  constructor(parts: DigestParts) {
    this.#parts = parts;
  }

  /** Null on a day on which there is nothing to tell. */
  async letter(trx: Knex): Promise<NewLetter | null> {
    const { clock, settings, formats, publicUrl } = this.#parts;
    const { show_language_updates: translations, numberdays_outdate_plugin_theme: days } = settings.current('general');
    const fleet = new DigestReadModel(trx);
    const now = clock.now();
    const updates = await fleet.updates(translations === 1);
    const inAll = updates.total === 0 ? 0 : await fleet.updatesInAll(translations === 1);
    const disconnected = await fleet.disconnected();
    const failing = await fleet.failingSyncs();
    const certificates = await fleet.endingCertificates(now);
    // The whole day counts, as in the lists of what is abandoned.
    const abandoned = await fleet.abandoned((Math.floor(now / DAY) - days + 1) * DAY);
    const sections = [
      this.#section('Disconnected', disconnected, () => ({ tone: 'bad', badge: 'Disconnected', facts: [] })),
      this.#section('Syncs that fail', failing, ({ message, since }) => ({
        tone: 'bad',
        badge: 'Sync failed',
        facts: [
          { label: 'At', value: formats.dateTime(since) },
          { label: 'Cause', value: message },
        ],
      })),
      this.#section('Certificates', certificates, ({ isValid, expiresAt }) => ({
        tone: isValid ? 'warn' : 'bad',
        badge: isValid ? 'Expires soon' : 'Not valid',
        facts: expiresAt === null ? [] : [{ label: 'Expires', value: formats.date(expiresAt) }],
      })),
      this.#section(`Updates waiting: ${inAll}`, updates, ({ waiting }) => ({
        tone: 'info',
        badge: 'Updates',
        facts: Object.entries(waiting).map(([type, count]) => ({ label: inWords(type), value: String(count) })),
      })),
      abandonedSection(abandoned, days, publicUrl),
    ].filter((section) => section !== null);
    if (sections.length === 0) return null;
    const status = [
      [inAll, 'updates'],
      [disconnected.total, 'disconnected'],
      [failing.total, 'failing syncs'],
      [certificates.total, 'certificates'],
      [Object.values(abandoned).reduce((sum, count) => sum + count, 0), 'abandoned'],
    ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
    return {
      type: 'daily_digest',
      letter: {
        intro: `What the fleet wants on ${formats.date(now)}: ${status.join(', ')}.`,
        sections,
        links: [
          { label: 'Updates', href: `${publicUrl}/api/v2/updates` },
          { label: 'Sites', href: `${publicUrl}/api/v2/sites` },
          { label: 'API documentation', href: `${publicUrl}/docs/v2` },
        ],
      },
      tokens: { site: 'the fleet', count: String(sections.length), status: status.join(', ') },
    };
  }

  #section<Line extends SiteLine>(
    title: string,
    { lines, total }: Listed<Line>,
    about: (line: Line) => About,
  ): LetterSection | null {
    if (total === 0) return null;
    const items = lines.map((line) => ({
      ...about(line),
      title: line.name || line.url,
      address: line.url,
      links: [{ label: 'Site record', href: `${this.#parts.publicUrl}/api/v2/sites/${line.id}` }],
    }));
    return { title, items, more: total - lines.length };
  }
}

const TYPES: Record<string, string> = {
  core: 'WordPress',
  plugin: 'Plugins',
  theme: 'Themes',
  translation: 'Translations',
};
const inWords = (type: string): string => TYPES[type] ?? type;

function abandonedSection(counts: Record<string, number>, days: number, publicUrl: string): LetterSection | null {
  const facts = Object.entries(counts).map(([kind, count]) => ({ label: inWords(kind), value: String(count) }));
  if (facts.length === 0) return null;
  const links = [{ label: 'Sites', href: `${publicUrl}/api/v2/sites` }];
  const title = `Without an update for ${days} days`;
  return {
    title: 'Abandoned',
    items: [{ tone: 'warn', badge: 'Abandoned', title, address: null, facts, links }],
    more: 0,
  };
}
