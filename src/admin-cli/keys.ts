import { SCOPES, type AccessService, type ApiKey, type Scope } from '../domains/access/index.ts';
import { parseDay, parseIsoTime } from '../shared/calendar.ts';
import { DAY, toIso } from '../shared/clock.ts';
import { ConflictError } from '../shared/errors.ts';
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

const toKeyOutput = (key: ApiKey) => ({
  id: key.id,
  user: key.userName,
  label: key.label,
  hint: key.hint,
  scope: key.scope,
  enabled: key.enabled,
  expires_at: toIso(key.expiresAt),
  created_at: toIso(key.createdAt),
  last_used_at: toIso(key.lastUsedAt),
});

async function allKeys(access: AccessService): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await access.listKeys({ page, perPage: PER_PAGE });
    keys.push(...items);
    if (items.length === 0 || keys.length >= total) return keys;
  }
}

function parseKeyId(values: OptionValues): number {
  const id = requiredOption(values, 'id');
  if (!/^\d{1,10}$/.test(id)) throw new UsageError('--id must be a number.');
  return Number(id);
}

/**
 * Parses the expiry of a key. A date without a time means the end of that day in UTC, so that the key works on that
 * date.
 */
function parseExpiry(values: OptionValues): number | null {
  const expires = optionOrNull(values, 'expires');
  if (expires === null) return null;
  const day = parseDay(expires);
  const isZoned = /(Z|[+-]\d{2}:\d{2})$/i.test(expires);
  const at = day !== null ? day + DAY - 1 : isZoned ? parseIsoTime(expires) : null;
  if (at === null) throw new UsageError('--expires must be a date or time such as 2027-01-31 or 2027-01-31T12:00:00Z.');
  return at;
}

/**
 * Suggests `--force` for the last key. On the API, a caller who uses a password may delete the last key. A command has
 * no caller, so the operator confirms the deletion by repeating the command with `--force`.
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
    const key = await access.editKey(parseKeyId(values), { enabled }, ACTOR, { force: true });
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
      },
      example: 'keys create --user admin --scope read --label reports --expires 2027-01-31',
      run: async ({ access }, values) => {
        const expiresAt = parseExpiry(values);
        const { id } = await access.userNamed(requiredOption(values, 'user'));
        const newKey = {
          userId: id,
          label: optionOrNull(values, 'label') ?? '',
          scope: requiredOption(values, 'scope') as Scope,
          expiresAt,
        };
        const { key, secret } = await access.createKey(newKey, ACTOR);
        return {
          data: { ...toKeyOutput(key), key: secret },
          text: `API key ${key.id} of ${key.userName} (shown only once):\n${secret}`,
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
        await access.deleteKey(id, ACTOR, { force: isSet(values, 'force') }).catch(suggestForce);
        return { data: { id, deleted: true }, text: `The API key ${id} was deleted.` };
      },
    },
  },
};
