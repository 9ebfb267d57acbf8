import type { ContentQuery } from '../../connector/child-site.ts';
import type { FieldError } from '../../shared/errors.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { parseUrl } from '../../shared/url.ts';
import type { ContentFilter, ContentKind, ContentPatch } from './content.ts';

export function toContentQuery(kind: ContentKind, filter: ContentFilter): ContentQuery {
  const { maximum, type = 'post', statuses = [], search, searchOn, from, to } = filter;
  new FieldErrors()
    .add(...requireTogether({ search, searchOn }), ...requireTogether({ from, to }), ...dayErrors({ from, to }))
    .throwIfAny();
  return {
    type: kind === 'page' ? 'page' : type,
    statuses: requestedStatusesOf(statuses),
    maximum,
    ...(search !== undefined && searchOn !== undefined && { search: { text: search, where: searchOn } }),
    ...(from !== undefined && to !== undefined && { changed: { from, to } }),
  };
}

/** Returns the statuses to request. `any` includes all but `trash`, so all others are redundant beside `any`. */
function requestedStatusesOf(asked: readonly string[]): string[] {
  const statuses = new Set(asked.length === 0 ? ['any'] : asked);
  return statuses.has('any') ? ['any', ...(statuses.has('trash') ? ['trash'] : [])] : [...statuses];
}

export function checkContent(patch: ContentPatch): void {
  const { status, date, dateGmt, featuredImage, featuredImageData, gallery = [], customFields } = patch;
  const isDated = status !== 'future' || date !== undefined;
  const isDescribed = !featuredImageData || featuredImage !== null;
  const errors = new FieldErrors()
    .add(...requireTogether({ date, dateGmt }), ...timeErrors({ date, dateGmt }))
    .require('date', isDated, 'must be set together with the GMT date to schedule content')
    .require('featuredImage', !featuredImage || isWebAddress(featuredImage), NO_WEB_ADDRESS)
    .require('featuredImageData', isDescribed, 'must not be set if the featured image is removed');
  gallery.forEach(({ src }, at) => errors.require(`gallery.${at}.src`, isWebAddress(src), NO_WEB_ADDRESS));
  for (const key of customFields?.keys() ?? [])
    errors.require(`customFields.${key.slice(0, 64)}`, !RESERVED_KEY.test(key), RESERVED);
  errors.throwIfAny();
}

const NO_WEB_ADDRESS = 'must be an http or https URL without a user name and password';
const RESERVED = 'must not be a field of WordPress or the child plugin';
/** Keys that the child plugin drops when it writes a post, and internal keys of WordPress (protocol 4.4). */
const RESERVED_KEY =
  /^(_mainwp_|_selected_|_saved_|_edit_|_wp_trash_|_bulkpost_|mainwp_post_id$|__proto__$|(_sticky|_slug|_tags|_categories|_thumbnail_id|_post_to_only_existing_categories)$)/;

function requireTogether(pair: Readonly<Record<string, unknown>>): FieldError[] {
  const missing = Object.keys(pair).filter((name) => pair[name] === undefined);
  const [presentName] = Object.keys(pair).filter((name) => pair[name] !== undefined);
  return presentName === undefined
    ? []
    : missing.map((path) => ({ path, message: 'must be set together with its counterpart' }));
}

function dayErrors({ from, to }: { from: string | undefined; to: string | undefined }): FieldError[] {
  const errors = Object.entries({ from, to })
    .filter(([, day]) => day !== undefined && parseContentTime(`${day} 00:00:00`) === null)
    .map(([path]) => ({ path, message: 'must be a valid date such as 2026-11-21' }));
  if (errors.length > 0 || from === undefined || to === undefined || from < to) return errors;
  return [{ path: 'to', message: 'must be later than the start' }];
}

const timeErrors = (times: Readonly<Record<string, string | undefined>>): FieldError[] =>
  Object.entries(times)
    .filter(([, time]) => time !== undefined && parseContentTime(time) === null)
    .map(([path]) => ({ path, message: 'must be a valid time such as 2026-11-21 10:57:22' }));

function parseContentTime(text: string): number | null {
  if (!/^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return null;
  const at = Date.parse(`${text.replace(' ', 'T')}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.replace(' ', 'T')) ? at : null;
}

/** Checks only the form of the address, because the site fetches it, not this service. */
function isWebAddress(address: string): boolean {
  const url = parseUrl(address);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
