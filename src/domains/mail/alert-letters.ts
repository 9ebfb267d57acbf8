import type { Alert, AlertedSite, AlertFacts, AlertType } from './alert.ts';
import { durationInWords, type Letter, type LetterItem } from './letter.ts';

/** How an alert of each type is told; several alerts of one type are told by one letter. */
export interface Telling {
  letter: Letter;
  /** For the subject: which site, how many, and how they stand. */
  tokens: { site: string; count: string; status: string };
}

export interface TellingParts {
  /** Writes a moment as the settings want it. */
  moment: (ms: number) => string;
  publicUrl: string;
}

/** So many items stand in one mail; the rest is counted. */
const LISTED = 50;

/** Alerts of one type, each with what belongs together: a monitor that went down and came back is one thing. */
export type Told = readonly [Alert, ...Alert[]];

type ItemOf<Type extends AlertType> = (
  facts: readonly AlertFacts[Type][],
  moment: TellingParts['moment'],
) => Pick<LetterItem, 'tone' | 'badge' | 'facts'> & { path?: string | null };

const statusInWords = (status: number): string => (status === 0 ? 'no answer' : String(status));

const ITEMS: { [Type in AlertType]: ItemOf<Type> } = {
  uptime: (facts, moment) => {
    const down = facts.find(({ state }) => state === 'down');
    const up = facts.find(({ state }) => state === 'up');
    const [first] = facts;
    const { startedAt = 0, cause = '', httpStatus = 0 } = down ?? up ?? first ?? {};
    const endedAt = up?.endedAt ?? null;
    return {
      tone: !up ? 'bad' : down ? 'warn' : 'good',
      badge: !up ? 'Down' : down ? 'Was down' : 'Up again',
      facts: [
        { label: 'Down since', value: moment(startedAt) },
        ...(endedAt === null
          ? []
          : [
              { label: 'Up again', value: moment(endedAt) },
              { label: 'Duration', value: durationInWords(endedAt - startedAt) },
            ]),
        { label: 'Cause', value: cause },
        { label: 'HTTP status', value: statusInWords(httpStatus) },
      ],
    };
  },
  site_health: ([facts]) => ({
    tone: 'warn',
    badge: 'Health',
    facts: [
      { label: 'Health score', value: `${facts?.score ?? 0} of 100` },
      { label: 'Threshold', value: String(facts?.threshold ?? 0) },
    ],
  }),
  http_check: ([facts]) => ({
    tone: 'bad',
    badge: 'Broken',
    facts: [
      { label: 'Before', value: statusInWords(facts?.statusBefore ?? 0) },
      { label: 'After', value: statusInWords(facts?.statusAfter ?? 0) },
      ...(facts?.updates ?? []).map(({ type, slug, name, fromVersion, toVersion }) => ({
        label: 'Update',
        value: `${name || slug} (${type}) ${fromVersion} to ${toVersion}`,
      })),
    ],
    path: facts?.jobId ? `jobs/${encodeURIComponent(facts.jobId)}` : null,
  }),
};

const INTROS: Record<AlertType, (count: number) => string> = {
  uptime: (count) => (count === 1 ? 'A monitor reports a change.' : `${count} monitors report a change.`),
  site_health: (count) =>
    count === 1
      ? 'The health of a site fell below the threshold.'
      : `The health of ${count} sites fell below the threshold.`,
  http_check: (count) =>
    count === 1
      ? 'A home page that answered before an update answers no more as it did.'
      : `${count} home pages that answered before an update answer no more as they did.`,
};

export function tell(
  type: AlertType,
  heading: string,
  things: readonly Told[],
  { moment, publicUrl }: TellingParts,
): Telling {
  const api = `${publicUrl}/api/v2`;
  const items = things.map((told) => {
    const [{ site }] = told;
    const itemOf = ITEMS[type] as ItemOf<AlertType>;
    const { path, ...item } = itemOf(
      told.map(({ facts }) => facts),
      moment,
    );
    return {
      ...item,
      title: nameOf(site),
      address: site.url,
      links: [...siteLinks(api, type, site), ...jobLink(api, path)],
    };
  });
  const badges = [...new Set(items.map(({ badge }) => badge))];
  const countOf = (badge: string): number => items.filter((item) => item.badge === badge).length;
  const status =
    items.length === 1
      ? String(badges[0])
      : badges.map((badge) => `${countOf(badge)} ${badge.toLowerCase()}`).join(', ');
  const [only] = items;
  return {
    letter: {
      heading,
      intro: INTROS[type](items.length),
      sections: [{ title: null, items: items.slice(0, LISTED), more: Math.max(0, items.length - LISTED) }],
      links: [{ label: 'API documentation', href: `${publicUrl}/docs/v2` }],
    },
    tokens: {
      site: items.length === 1 && only ? only.title : `${items.length} sites`,
      count: String(items.length),
      status,
    },
  };
}

const nameOf = ({ name, url }: AlertedSite): string => (name.trim() === '' ? url : name);

function siteLinks(api: string, type: AlertType, { id }: AlertedSite): LetterItem['links'] {
  const record = { label: 'Site record', href: `${api}/sites/${id}` };
  return type === 'uptime' ? [record, { label: 'Monitor', href: `${api}/monitors/${id}` }] : [record];
}

const jobLink = (api: string, path: string | null | undefined): LetterItem['links'] =>
  path ? [{ label: 'Job', href: `${api}/${path}` }] : [];
