import type { ListOrder } from '../../shared/list-order.ts';
import { isLanguageTag, LANGUAGE_TAGS } from '../../languages/index.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { normalizeMailAddress } from '../../shared/mail-address.ts';
import { hasControlCharacter, LONGEST_MAILBOX_NAME, NO_CONTROL_CHARACTERS } from '../../shared/mailbox.ts';
import { MAX_NAME, trimmedName, trimmedText, truncate } from '../../shared/text.ts';
import { parseUrl } from '../../shared/url.ts';
import { unknownTokenMessage } from '../report-templates/index.ts';
import { isTimeZone } from '../settings/index.ts';

const CLIENT_STATUSES = ['active', 'suspended'] as const;
export type ClientStatus = (typeof CLIENT_STATUSES)[number];

export interface ClientBrief {
  id: number;
  name: string;
  email: string;
  status: ClientStatus;
}

/** A text is empty if it is not set. */
export interface ClientProfile {
  name: string;
  email: string;
  phone: string;
  address1: string;
  address2: string;
  city: string;
  state: string;
  zip: string;
  country: string;
  note: string;
  facebook: string;
  twitter: string;
  instagram: string;
  linkedin: string;
  /** Time zone of reports. */
  timeZone: string;
  /** Name of the sender and `Reply-To` address of mails to the client. Empty if those of the settings apply. */
  mailFromName: string;
  mailReplyTo: string;
  /** Language of reports, as a BCP 47 tag. */
  language: string;
  reportTemplate: string;
  reportText: string;
  /** IDs of sites in the order of reports, separated by commas. Other sites follow by name. */
  siteOrder: string;
}

export interface ListedClient extends ClientBrief {
  phone: string;
  sitesCount: number;
  createdAt: number;
}

/** A client has a tag if one of its sites has it. */
export interface ClientWithTaggedSiteCount extends Pick<ClientBrief, 'id' | 'name' | 'email'> {
  sitesWithTag: number;
}

export interface ClientFilter {
  status?: ClientStatus;
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
}

/** Clients without an e-mail address are first in ascending order. */
export type ClientOrder = ListOrder<'name' | 'email' | 'created_at'>;

export interface Client extends ClientBrief, ClientProfile {
  sitesCount: number;
  createdAt: number;
  updatedAt: number;
  revision: number;
}

export interface OptionalClientFields {
  siteIds?: number[];
  tags?: { id: number; name: string }[];
  /** Values by field name. A field without a value is omitted. */
  customFields?: Record<string, string>;
}
export const OPTIONAL_CLIENT_FIELDS = [
  'siteIds',
  'tags',
  'customFields',
] as const satisfies (keyof OptionalClientFields)[];

export type ClientDetail = Client & Required<OptionalClientFields>;

export interface ClientSitesAndFieldValues {
  siteIds?: readonly number[];
  /**
   * Values by field name, ignoring case. An empty text or null deletes a value; null for the whole object deletes all
   * values.
   */
  customFields?: Readonly<Record<string, string | null>> | null;
}

export type NewClient = Partial<ClientProfile> & Pick<ClientProfile, 'name'>;

export type ClientPatch = Partial<ClientProfile>;

/** ID or e-mail address of a client. Digits are an ID; the case of an address is ignored. */
export type ClientRef = number | string;

const LIMITS: Readonly<Record<keyof ClientProfile, number>> = {
  name: MAX_NAME,
  email: MAX_NAME,
  phone: 64,
  address1: 255,
  address2: 255,
  city: 128,
  state: 128,
  zip: 32,
  country: 128,
  note: 65_535,
  facebook: 512,
  twitter: 512,
  instagram: 512,
  linkedin: 512,
  timeZone: 64,
  mailFromName: LONGEST_MAILBOX_NAME,
  mailReplyTo: 254,
  language: 35,
  reportTemplate: 64,
  reportText: 2000,
  siteOrder: 2200,
};
const PROFILES = ['facebook', 'twitter', 'instagram', 'linkedin'] as const;

/** Requires one @ and a domain with at least two parts. The mail server checks the rest. */
const EMAIL = /^[^\s@<>(),;:"]+@[^\s@<>(),;:".]+(?:\.[^\s@<>(),;:".]+)+$/;

/** Returns null for an empty address, so that clients without an address do not collide. */
export const emailKeyOf = (email: string): string | null => truncate(email.trim().toLowerCase(), MAX_NAME) || null;

const isWebAddress = (text: string): boolean => /^https?:$/.test(parseUrl(text)?.protocol ?? '');

/** Accepts the address `keptEmail` although no mail can be sent to it, because earlier releases have stored such. */
export function checkedClientProfile(input: NewClient, keptEmail = ''): ClientProfile {
  const errors = new FieldErrors();
  const kept = (Object.keys(LIMITS) as (keyof ClientProfile)[]).map((name) => {
    const trimmed = name === 'name' ? trimmedName : trimmedText;
    return [name, trimmed(errors, name, input[name] ?? '', LIMITS[name])] as const;
  });
  const fields = Object.fromEntries(kept) as unknown as ClientProfile;
  const isReachable = EMAIL.test(fields.email) && normalizeMailAddress(fields.email) !== null;
  errors.require('email', [keptEmail, ''].includes(fields.email) || isReachable, 'must be an e-mail address');
  for (const name of PROFILES)
    errors.require(
      name,
      fields[name] === '' || isWebAddress(fields[name]),
      'must be a URL that begins with http:// or https://',
    );
  const { timeZone, mailReplyTo, language, reportText } = fields;
  // Checks the values before trimming, because trimming would remove a line break at the end.
  const { mailFromName: typedName, mailReplyTo: typedReplyTo } = input;
  const unknown = unknownTokenMessage(reportText);
  errors
    .require('mailFromName', !hasControlCharacter(typedName ?? ''), NO_CONTROL_CHARACTERS)
    .require(
      'mailReplyTo',
      !hasControlCharacter(typedReplyTo ?? '') && (mailReplyTo === '' || normalizeMailAddress(mailReplyTo) !== null),
      'must be an e-mail address',
    )
    .require('language', language === '' || isLanguageTag(language), `must be one of ${LANGUAGE_TAGS.join(', ')}`)
    .require('reportText', unknown === null, unknown ?? '')
    .require('timeZone', timeZone === '' || isTimeZone(timeZone), 'must be a supported time zone such as Europe/Berlin')
    .throwIfAny();
  return fields;
}

export function cutSiteOrder(order: string, siteIds: Iterable<number>): string {
  const kept = new Set(Array.from(siteIds, String));
  return order
    .split(',')
    .filter((id) => kept.has(id))
    .join(',');
}
