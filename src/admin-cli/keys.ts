import { SCOPES, type AccessService, type ApiKey, type KeyPatch, type Scope } from '../domains/access/index.ts';
import { parseDay, parseIsoTime } from '../shared/calendar.ts';
import { DAY, SECOND, toIso } from '../shared/clock.ts';
import { ConflictError } from '../shared/errors.ts';
import { splitList } from '../shared/text.ts';
import {
  ACTOR,
  isSet,
  optionOrNull,
  requiredOption,
  UsageError,
  type CommandGroup,
  type Option,
  type OptionValues,
} from './command.ts';
import { formatTextTable, formatTime } from './output-format.ts';

const ID: Option = { value: 'id', description: 'ID of the key, as shown by keys list.', required: true };
const PER_PAGE = 500;
const [ANY, NONE, NEVER] = ['any', 'none', 'never'] as const;
const DEFAULT_OVERLAP_SECONDS = '86400';

const toKeyOutput = (key: ApiKey) => ({
  id: key.id,
  user: key.userName,
  label: key.label,
  hint: key.hint,
  scope: key.scope,
  enabled: key.enabled,
  expires_at: toIso(key.expiresAt),
  allowed_addresses: key.allowedAddresses,
  rate_limit: key.rateLimit,
  previous_token_expires_at: toIso(key.previousExpiresAt),
  created_at: toIso(key.createdAt),
  last_used_at: toIso(key.lastUsedAt),
});

async function allKeys(access: AccessService): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await access.keys.list({ page, perPage: PER_PAGE });
    keys.push(...items);
    if (items.length === 0 || keys.length >= total) return keys;
  }
}

function parseKeyId(values: OptionValues): number {
  const id = requiredOption(values, 'id');
  if (!/^\d{1,10}$/.test(id)) throw new UsageError('--id must be a number.');
  return Number(id);
}

/** Parses the expiry of a key. For a date without a time, the key works until the end of that day in UTC. */
function parseExpiry(values: OptionValues): number | null {
  const expires = optionOrNull(values, 'expires');
  if (expires === null) return null;
  const day = parseDay(expires);
  const isZoned = /(Z|[+-]\d{2}:\d{2})$/i.test(expires);
  const at = day !== null ? day + DAY - SECOND : isZoned ? parseIsoTime(expires) : null;
  if (at === null) throw new UsageError('--expires must be a date or time such as 2027-01-31 or 2027-01-31T12:00:00Z.');
  return at;
}

function parseAddresses(values: OptionValues): string[] | null | undefined {
  const addresses = optionOrNull(values, 'addresses');
  if (addresses === null) return undefined;
  if (addresses === ANY) return null;
  const list = splitList(addresses);
  // An empty list would allow all addresses.
  if (list.length === 0) throw new UsageError(`--addresses must name an address, or be ${ANY}.`);
  return list;
}

function parseRateLimit(values: OptionValues): number | null | undefined {
  const limit = optionOrNull(values, 'rate');
  if (limit === null) return undefined;
  if (limit === NONE) return null;
  return parseNumber('rate', limit);
}

function parseNumber(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} must be a number.`);
  return Number(text);
}

function parseLimits(values: OptionValues): Pick<KeyPatch, 'allowedAddresses' | 'rateLimit'> {
  const [allowedAddresses, rateLimit] = [parseAddresses(values), parseRateLimit(values)];
  return {
    ...(allowedAddresses === undefined ? {} : { allowedAddresses }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  };
}

function parseKeyPatch(values: OptionValues): KeyPatch {
  const [label, expires] = [optionOrNull(values, 'label'), optionOrNull(values, 'expires')];
  const patch = {
    ...(label === null ? {} : { label }),
    ...(expires === null ? {} : { expiresAt: expires === NEVER ? null : parseExpiry(values) }),
    ...parseLimits(values),
  };
  if (Object.keys(patch).length === 0)
    throw new UsageError('Pass at least one of --label, --expires, --addresses and --rate.');
  return patch;
}

/**
 * Suggests `--force` if the last key is to be deleted. On the API, a caller who uses a password may delete it. A
 * command has no caller, so the operator confirms the deletion by repeating the command with `--force`.
 */
function suggestForce(error: unknown): never {
  if (!(error instanceof ConflictError)) throw error;
  throw new ConflictError('svc_last_api_key', `${error.message} Pass --force to delete it anyway.`);
}

const createKeySwitchVerb = (enabled: boolean): CommandGroup['verbs'][string] => ({
  summary: enabled ? 'Enable a disabled API key.' : 'Disable an API key until it is enabled again.',
  options: { id: ID },
  subject: 'id',
  example: `keys ${enabled ? 'enable' : 'disable'} --id 3`,
  run: async ({ access }, values) => {
    const key = await access.keys.edit(parseKeyId(values), { enabled }, ACTOR, { force: true });
    return { data: toKeyOutput(key), text: `The API key ${key.id} is ${enabled ? 'enabled' : 'disabled'}.` };
  },
});

export const keyCommands: CommandGroup = {
  name: 'keys',
  summary: 'Manage API keys.',
  migratesFirst: true,
  verbs: {
    list: {
      summary: 'List all API keys without their secrets.',
      options: {},
      example: 'keys list --json',
      run: async ({ access }) => {
        const all = await allKeys(access);
        const rows = all.map((key) => [
          String(key.id),
          key.userName,
          `*${key.hint}`,
          key.scope,
          key.enabled ? 'yes' : 'no',
          formatTime(key.expiresAt),
          formatTime(key.lastUsedAt),
          key.label,
        ]);
        const head = ['ID', 'USER', 'KEY', 'SCOPE', 'ENABLED', 'EXPIRES', 'LAST USED', 'LABEL'];
        return { data: all.map(toKeyOutput), text: formatTextTable(rows, head) };
      },
    },
    create: {
      summary: 'Create an API key and print it once.',
      options: {
        user: { value: 'name', description: 'User that the key acts for.', required: true },
        scope: {
          value: 'scope',
          description: 'Scope of the key. The key can never do more than its user.',
          required: true,
          choices: SCOPES,
        },
        label: { value: 'text', description: 'Purpose of the key.' },
        expires: {
          value: 'date',
          description: 'Last valid day (UTC), or a time with a time zone. By default, the key does not expire.',
        },
        addresses: {
          value: 'list',
          description: 'Addresses and networks that may use the key, separated by commas. By default, all.',
        },
        rate: { value: 'number', description: 'Calls per minute. By default, SITEFLEET_RATE_LIMIT applies.' },
      },
      example: 'keys create --user admin --scope read --label reports --expires 2027-01-31',
      run: async ({ access }, values) => {
        const expiresAt = parseExpiry(values);
        const limits = parseLimits(values);
        const { id } = await access.userNamed(requiredOption(values, 'user'));
        const newKey = {
          userId: id,
          label: optionOrNull(values, 'label') ?? '',
          scope: requiredOption(values, 'scope') as Scope,
          expiresAt,
          ...limits,
        };
        const { key, secret } = await access.keys.create(newKey, ACTOR);
        return {
          data: { ...toKeyOutput(key), key: secret },
          text: `API key ${key.id} of ${key.userName} (shown only once):\n${secret}`,
        };
      },
    },
    edit: {
      summary: 'Change the label and the limits of an API key.',
      options: {
        id: ID,
        label: { value: 'text', description: 'Purpose of the key.' },
        expires: { value: 'date', description: `Last valid day (UTC), a time with a time zone, or ${NEVER}.` },
        addresses: { value: 'list', description: `Addresses and networks that may use the key, or ${ANY}.` },
        rate: { value: 'number', description: `Calls per minute, or ${NONE}.` },
      },
      subject: 'id',
      example: 'keys edit --id 3 --addresses 192.0.2.0/24,2001:db8::1 --rate 600',
      run: async ({ access }, values) => {
        const key = await access.keys.edit(parseKeyId(values), parseKeyPatch(values), ACTOR, { force: true });
        return { data: toKeyOutput(key), text: `The API key ${key.id} was saved.` };
      },
    },
    rotate: {
      summary: 'Give an API key a new token and print it once.',
      options: {
        id: ID,
        overlap: {
          value: 'seconds',
          description: 'Seconds for which the previous token still works. Default: one day.',
        },
      },
      subject: 'id',
      example: 'keys rotate --id 3 --overlap 3600',
      run: async ({ access }, values) => {
        const overlap = parseNumber('overlap', optionOrNull(values, 'overlap') ?? DEFAULT_OVERLAP_SECONDS);
        const { key, secret } = await access.keys.rotate(parseKeyId(values), overlap, ACTOR);
        const end = key.previousExpiresAt === null ? 'has ended' : `works until ${toIso(key.previousExpiresAt)}`;
        return {
          data: { ...toKeyOutput(key), key: secret },
          text: `New token of API key ${key.id} (shown only once). The previous token ${end}.\n${secret}`,
        };
      },
    },
    disable: createKeySwitchVerb(false),
    enable: createKeySwitchVerb(true),
    delete: {
      summary: 'Delete an API key.',
      options: { id: ID, force: { description: 'Delete the key even if no working key is left.' } },
      subject: 'id',
      example: 'keys delete --id 3',
      run: async ({ access }, values) => {
        const id = parseKeyId(values);
        await access.keys.delete(id, ACTOR, { force: isSet(values, 'force') }).catch(suggestForce);
        return { data: { id, deleted: true }, text: `The API key ${id} was deleted.` };
      },
    },
  },
};
