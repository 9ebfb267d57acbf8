const LETTERS_AND_HYPHENS = 'must have only lower-case letters and digits, in words joined by single hyphens';
const SLUG = 'must be the slug of an item, such as hello-dolly/hello.php, without commas, bars or control characters';
const HEX_COLOR = 'must be a color such as #1a73e8';
const DATE = 'must be a date such as 2026-11-20';
const MONTH = 'must be a month such as 2026-11';
const TIME = 'must be a time of the day such as 8:30';
const LANGUAGE = 'must be a language tag such as de or pt-BR';
const TIME_ZONE = 'must be UTC, an offset such as UTC+2 or UTC-3:30, or a time zone such as Europe/Berlin';
const IDS = 'must be IDs, separated by commas';
const STATUS_CODES = 'must be HTTP status codes from 100 to 599, separated by commas';
const VISIBLE_ASCII = 'must have only visible ASCII characters, without spaces';
const KEY = 'must have only lower-case letters, digits, hyphens and underscores';

const MESSAGES = new Map<string, string>([
  [String.raw`\S`, 'must not be blank'],
  [String.raw`^[!-~]+$`, VISIBLE_ASCII],
  [String.raw`^[!-~]*$`, VISIBLE_ASCII],
  [String.raw`^[!-~]{1,255}$`, VISIBLE_ASCII],
  [String.raw`^[a-z0-9]+(-[a-z0-9]+)*$`, LETTERS_AND_HYPHENS],
  [String.raw`^\s*([a-z0-9]+(-[a-z0-9]+)*)?\s*$`, LETTERS_AND_HYPHENS],
  [String.raw`^svc/[a-z0-9]+(-[a-z0-9]+)*$`, 'must be the name of an ability, such as svc/get-tag-v1'],
  [String.raw`^[a-z-]+_[0-9a-f-]{36}$`, 'must be a job ID, such as sync_0b6c1f9e-5f0e-4a53-9d0e-0a8d3c1f2b4a'],
  [String.raw`^[^|,\x00-\x1f]+$`, SLUG],
  [String.raw`^[^|,\s\x00-\x1f]([^|,\x00-\x1f]*[^|,\s\x00-\x1f])?$`, SLUG],
  [String.raw`^[^\S\x00-\x1f]*[^|,\s\x00-\x1f][^|,\x00-\x1f]*$`, SLUG],
  [
    String.raw`^[^|\x00-\x1f]*[^|,\s\x00-\x1f][^|\x00-\x1f]*$`,
    'must be slugs, separated by commas, without bars or control characters',
  ],
  [
    String.raw`^((,|[^\S\x00-\x1f])*[^|,\s\x00-\x1f][^|,\x00-\x1f]{0,254}(,[^|,\x00-\x1f]{0,255}){0,499})?$`,
    'must be at most 500 slugs of up to 255 characters, separated by commas, without bars or control characters',
  ],
  [
    String.raw`^\s*([^\s@<>(),;:"]+@[^\s@<>(),;:".]+(\.[^\s@<>(),;:".]+)+)?\s*$`,
    'must be an e-mail address such as office@example.com, or empty',
  ],
  [String.raw`^#[0-9a-f]{6}$`, HEX_COLOR],
  [String.raw`^#[0-9a-fA-F]{6}$`, HEX_COLOR],
  [String.raw`^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$`, 'must be a color such as #1a73e8 or #18e'],
  [String.raw`^([1-9]\d?|100)%$`, 'must be a whole percentage from 1% to 100%'],
  [
    String.raw`^([1-9]\d{0,3}|([1-9]\d?|100)%)$`,
    'must be a whole number from 1 to 9999, or a whole percentage from 1% to 100%',
  ],
  [String.raw`^\d{4}-\d{2}-\d{2}$`, DATE],
  [String.raw`^\d{4}-\d{2}$`, MONTH],
  [String.raw`^\d{4}-(0[1-9]|1[0-2])$`, MONTH],
  [
    String.raw`^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$`,
    'must be a date or a time such as 2026-11-20 or 2026-11-20T08:30:00Z',
  ],
  [
    String.raw`^(24h|7d|30d|\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?/\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?)$`,
    'must be 24h, 7d, 30d, or two dates or times such as 2026-11-01/2026-11-20',
  ],
  [String.raw`^([01]?\d|2[0-3]):[0-5]\d$`, TIME],
  [String.raw`^(([01]?\d|2[0-3]):[0-5]\d)?$`, `${TIME}, or empty`],
  [String.raw`^((\d|[1-9]\d|[12]\d\d|3[0-5]\d|36[0-5])d|never)$`, 'must be a number of days from 0d to 365d, or never'],
  [String.raw`^(UTC|UTC[+-](\d|1[0-4])(:30|:45)?|[A-Za-z_]+(/[A-Za-z0-9_+-]+){1,2})$`, TIME_ZONE],
  [
    String.raw`^\s*((UTC|UTC[+-](\d|1[0-4])(:30|:45)?|[A-Za-z_]+(/[A-Za-z0-9_+-]+){1,2}))?\s*$`,
    `${TIME_ZONE}, or empty`,
  ],
  [String.raw`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`, LANGUAGE],
  [String.raw`^[a-z]{2,3}(-[A-Za-z0-9]{2,6})?$`, LANGUAGE],
  [String.raw`^\s*([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?\s*$`, `${LANGUAGE}, or empty`],
  [String.raw`^[a-z0-9_-]{1,64}$`, `${KEY}, at most 64`],
  [String.raw`^[a-z0-9_-]{1,20}$`, `${KEY}, at most 20`],
  [String.raw`^[a-z][a-z0-9_-]*$`, `${KEY}, and begin with a letter`],
  [String.raw`^[A-Za-z0-9_-]{1,60}$`, 'must be the slug of a role, such as shop_manager'],
  [
    String.raw`^[A-Za-z0-9](?:[A-Za-z0-9._\-]*[A-Za-z0-9_\-])?$`,
    'must be the folder of a plugin or the stylesheet of a theme, such as hello-dolly, without the main file',
  ],
  [
    String.raw`^[A-Za-z0-9](?:[A-Za-z0-9._+\-]*[A-Za-z0-9+])?$`,
    'must be an exact version, such as 1.7.2, without a range',
  ],
  [
    String.raw`^\s*(<=?\s*)?[vV]?\d[\w.+~*-]*\s*$`,
    'must be a version such as 9.4.2, or a range such as 9.x, <10 or <=9.4',
  ],
  [String.raw`^\s*(\d{1,15}\s*(,\s*\d{1,15}\s*)*)?$`, IDS],
  [String.raw`^ *[0-9]{1,15} *(, *[0-9]{1,15} *){0,499}$`, `${IDS}, at most 500`],
  [String.raw`^\s*([1-5]\d\d\s*(,\s*[1-5]\d\d\s*){0,59})?$`, STATUS_CODES],
  [String.raw`^(\s*[1-5]\d\d\s*(,\s*[1-5]\d\d\s*){0,59}|useglobal)$`, `${STATUS_CODES}, or useglobal`],
  [String.raw`^https?://`, 'must begin with http:// or https://'],
  [String.raw`^https?://[^\s/?#@]+(/[^\s?#]*)?$`, 'must be an http or https URL without query, fragment and password'],
  [String.raw`^\s*([Hh][Tt][Tt][Pp][Ss]?://\S+)?\s*$`, 'must be an http or https URL, or empty'],
  [String.raw`^([A-Za-z0-9._-]+(:\d{1,5})?)?$`, 'must be a host such as whois.iana.org or whois.iana.org:43, or empty'],
  [
    String.raw`^(\*|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)=[A-Za-z0-9._-]+(:\d{1,5})?$`,
    'must be a top-level domain or *, an equals sign and a host, such as de=whois.denic.de',
  ],
  [String.raw`^[^=]{1,80}=[^=]{1,119}$`, 'must be a name, an equals sign and a value'],
  [String.raw`^[^\x00-\x1f\x7f]*$`, 'must not contain line breaks or other control characters'],
  [String.raw`^[A-Z]{3}$`, 'must be an ISO 4217 currency code such as EUR'],
  [String.raw`^[^0-9-]?$`, 'must be at most one character, and no digit or hyphen'],
  [String.raw`^[^0-9-]$`, 'must be one character, and no digit or hyphen'],
  [String.raw`^[^0-9]+$`, 'must not contain digits'],
  [String.raw`^[0-9a-f]{64}$`, 'must be a SHA-256 of 64 hexadecimal digits in lower case'],
  [
    String.raw`^\s*((all|core|plugins?|themes?|translations?)\s*(,\s*(all|core|plugins?|themes?|translations?)\s*)*)?$`,
    'must be all, core, plugins, themes or translations, separated by commas',
  ],
  [
    String.raw`^(data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2})?$`,
    'must be a data URL of a PNG, JPEG or WebP image in base64, or empty',
  ],
  [String.raw`^\s*(read|write)\s*(,\s*(read|write)\s*)?$`, 'must be read, write, or both separated by a comma'],
  [String.raw`^[a-z0-9-]{1,31}:[A-Za-z0-9 _-]{1,31}$`, 'must be a set and a name, such as default:folder'],
  [
    String.raw`^[A-Za-z0-9][A-Za-z0-9._-]*$`,
    'must begin with a letter or digit, and have only letters, digits, dots, hyphens and underscores',
  ],
]);

export const patternError = (pattern: string): string => MESSAGES.get(pattern) ?? `must match the pattern ${pattern}`;
