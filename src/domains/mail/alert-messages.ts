import { INTROS, ITEM_BUILDERS, NOUNS, type AlertType, type AlertBlockBuilder } from './alert-types.ts';
import type { Alert, AlertedSite } from './alert.ts';
import type { Formats } from '../settings/index.ts';
import type { MailMessage } from './mail-message.ts';

export interface AlertMessage {
  message: MailMessage;
  tokens: { site: string; count: string; status: string };
}

const nouns: Partial<Record<AlertType, string>> = NOUNS;

/** Maximum number of items in one mail. Further items are only counted. */
const LISTED = 50;

/** Alerts of one type that belong together, for example of a monitor that went down and came back. */
export type AlertGroup = readonly [Alert, ...Alert[]];

export function buildAlertMessage(
  type: AlertType,
  heading: string,
  things: readonly AlertGroup[],
  formats: Formats,
): AlertMessage {
  const items = things.map((group) => {
    const [{ site }] = group;
    const buildItem = ITEM_BUILDERS[type] as AlertBlockBuilder<AlertType>;
    const item = buildItem(
      group.map(({ facts }) => facts),
      formats,
    );
    return { title: site ? siteNameOrUrl(site) : '', ...item, address: site?.url ?? null };
  });
  const badges = [...new Set(items.map(({ badge }) => badge))];
  const countBadge = (badge: string): number => items.filter((item) => item.badge === badge).length;
  // Number of sites and other subjects in the mail. A site can have several items, and a cost or a key has no site.
  const subjects = new Set(things.map(([{ site }], index) => site?.id ?? `other ${index}`)).size;
  const status =
    badges.length === 1 && items.length === subjects
      ? String(badges[0])
      : badges.map((badge) => `${countBadge(badge)} ${badge.toLowerCase()}`).join(', ');
  const [only] = items;
  return {
    message: {
      heading,
      intro: INTROS[type](items.length),
      sections: [{ title: null, items: items.slice(0, LISTED), more: Math.max(0, items.length - LISTED) }],
    },
    tokens: {
      site: subjects === 1 && only ? only.title : `${subjects} ${nouns[type] ?? 'sites'}`,
      count: String(items.length),
      status,
    },
  };
}

const siteNameOrUrl = ({ name, url }: AlertedSite): string => (name.trim() === '' ? url : name);
