import { FieldErrors } from '../../shared/fields.ts';
import { keyOf, MAX_NAME, trimmedName, trimmedText } from '../../shared/text.ts';
import { parseUrl } from '../../shared/url.ts';

/** Who owns sites. Times are milliseconds since 1970. */

const CLIENT_STATUSES = ['active', 'suspended'] as const;
export type ClientStatus = (typeof CLIENT_STATUSES)[number];

export interface ClientBrief {
  id: number;
  name: string;
  /** Empty without one. */
  email: string;
  status: ClientStatus;
}

/** What an operator writes of a client; absent texts are empty. */
export interface ClientFields {
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
  /** Addresses of its profiles. */
  facebook: string;
  twitter: string;
  instagram: string;
  linkedin: string;
}

/** A client in a list. */
export interface ListedClient extends ClientBrief {
  phone: string;
  sitesCount: number;
  createdAt: number;
}

/** A client beside a tag; it has the tag when one of its sites has it. */
export interface TaggedClient extends Pick<ClientBrief, 'id' | 'name' | 'email'> {
  sitesWithTag: number;
}

/** Which clients a list shows; the parts combine, and an empty `include` is none. */
export interface ClientFilter {
  status?: ClientStatus;
  /** Part of the name or of the e-mail address, in any case. */
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
}

export interface Client extends ClientBrief, ClientFields {
  sitesCount: number;
  createdAt: number;
  updatedAt: number;
  /** Counts the edits of the record. */
  revision: number;
}

/** What hangs on a client beside its own record; a list shows what is asked for. */
export interface ClientExtras {
  /** The sites that it owns. */
  siteIds?: number[];
  /** Those that one of its sites carries, by name. */
  tags?: { id: number; name: string }[];
  /** By name of the field; one without a value is not there. */
  customFields?: Record<string, string>;
}
export const CLIENT_EXTRAS = ['siteIds', 'tags', 'customFields'] as const satisfies (keyof ClientExtras)[];

/** A client with everything that is known of it. */
export type ClientDetail = Client & Required<ClientExtras>;

/** What is written along with a client; what is absent stays as it is. */
export interface ClientBelongings {
  siteIds?: readonly number[];
  /**
   * By name of the field, in any case. An empty text or null takes the value away, null for the whole takes all away.
   */
  customFields?: Readonly<Record<string, string | null>> | null;
}

export type NewClient = Partial<ClientFields> & Pick<ClientFields, 'name'>;

/** What is absent stays as it is. */
export type ClientPatch = Partial<ClientFields>;

/** A client as callers name it: an ID (digits are one), or an e-mail address in any case. */
export type ClientRef = number | string;

/** What the columns hold, counted in characters. */
const LIMITS: Readonly<Record<keyof ClientFields, number>> = {
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
};
const PROFILES = ['facebook', 'twitter', 'instagram', 'linkedin'] as const;

/** One @, and a domain of at least two parts; more is for the mail server to judge. */
const EMAIL = /^[^\s@<>(),;:"]+@[^\s@<>(),;:".]+(?:\.[^\s@<>(),;:".]+)+$/;

/** E-mail addresses are told apart by this; clients without one do not clash. */
export const emailKeyOf = (email: string): string | null => keyOf(email) || null;

const isWebAddress = (text: string): boolean => /^https?:$/.test(parseUrl(text)?.protocol ?? '');

/** Fills what is absent and trims what is there; throws with every field that breaks a rule. */
export function checkedFields(input: NewClient): ClientFields {
  const errors = new FieldErrors();
  const kept = (Object.keys(LIMITS) as (keyof ClientFields)[]).map((name) => {
    const trimmed = name === 'name' ? trimmedName : trimmedText;
    return [name, trimmed(errors, name, input[name] ?? '', LIMITS[name])] as const;
  });
  const fields = Object.fromEntries(kept) as unknown as ClientFields;
  errors.rule('email', fields.email === '' || EMAIL.test(fields.email), 'must be an e-mail address');
  for (const name of PROFILES)
    errors.rule(
      name,
      fields[name] === '' || isWebAddress(fields[name]),
      'must be an address that begins with http:// or https://',
    );
  errors.refuse();
  return fields;
}
