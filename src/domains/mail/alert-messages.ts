import { INTROS, ITEM_BUILDERS, MORE_LINKS, type AlertType, type AlertBlockBuilder } from './alert-types.ts';
import type { Alert, AlertedSite } from './alert.ts';
import type { Formats } from '../settings/index.ts';
import type { MailMessage, MailBodyBlock } from './mail-message.ts';

export interface AlertMessage {
  message: MailMessage;
  tokens: { site: string; count: string; status: string };
}

export interface AlertMessageDeps {
  formats: Formats;
  publicUrl: string;
}

/** Maximum number of items in one mail. Further items are only counted. */
const LISTED = 50;

/** Alerts of one type that belong together, for example of a monitor that went down and came back. */
export type AlertGroup = readonly [Alert, ...Alert[]];

export function buildAlertMessage(
  type: AlertType,
  heading: string,
  things: readonly AlertGroup[],
  { formats, publicUrl }: AlertMessageDeps,
): AlertMessage {
  const api = `${publicUrl}/api/v2`;
  const items = things.map((group) => {
    const [{ site }] = group;
    const buildItem = ITEM_BUILDERS[type] as AlertBlockBuilder<AlertType>;
    const { more, ...item } = buildItem(
      group.map(({ facts }) => facts),
      formats,
    );
    const links = more ? [{ label: more.label, href: `${api}/${more.path}` }] : [];
    return {
      title: site ? siteNameOrUrl(site) : '',
      ...item,
      address: site?.url ?? null,
      links: [...(site ? siteLinks(api, type, site) : []), ...links],
    };
  });
  const badges = [...new Set(items.map(({ badge }) => badge))];
  const countBadge = (badge: string): number => items.filter((item) => item.badge === badge).length;
  const status =
    items.length === 1
      ? String(badges[0])
      : badges.map((badge) => `${countBadge(badge)} ${badge.toLowerCase()}`).join(', ');
  const [only] = items;
  // Number of sites and costs in the mail. A site can have several items, and a cost has no site.
  const subjects = new Set(things.map(([{ site }], index) => site?.id ?? `cost ${index}`)).size;
  return {
    message: {
      heading,
      intro: INTROS[type](items.length),
      sections: [{ title: null, items: items.slice(0, LISTED), more: Math.max(0, items.length - LISTED) }],
      links: [{ label: 'API documentation', href: `${publicUrl}/docs/v2` }],
    },
    tokens: {
      site:
        subjects === 1 && only ? only.title : `${subjects} ${type === 'cost_tracker_noti_email' ? 'costs' : 'sites'}`,
      count: String(items.length),
      status,
    },
  };
}

const siteNameOrUrl = ({ name, url }: AlertedSite): string => (name.trim() === '' ? url : name);

function siteLinks(api: string, type: AlertType, { id }: AlertedSite): MailBodyBlock['links'] {
  const record = { label: 'Site record', href: `${api}/sites/${id}` };
  const more = MORE_LINKS[type];
  return more ? [record, { label: more.label, href: `${api}/${more.path}/${id}` }] : [record];
}
