import type { ContractOperation } from '../../src/contract/index.ts';
import { BUILT_IN_ROLES, PERMISSION_FACTS } from '../../src/shared/permissions.ts';
import type { OperationEntry, SurfaceDocument } from './entries.ts';

/** Returns a table of all permissions with the built-in roles that have them and the operations that require them. */
export function permissionTable(surfaces: readonly SurfaceDocument[]): string {
  const entries = surfaces.flatMap(({ parts }) => parts.flatMap((part) => part.entries));
  const rows = Object.entries(PERMISSION_FACTS).map(([name, { scope, roles, meaning }]) => {
    const others = BUILT_IN_ROLES.filter((role) => roles.includes(role)).map((role) => `\`${role}\``);
    const operations = entries
      .filter(({ place }) => place.operation['x-permission'] === name)
      .map(({ surface, id }) => `[${id}](/reference/${surface}/${id})`);
    return `| \`${name}\` | ${meaning} | \`${scope}\` | ${others.join(', ')} | ${operations.join(', ')} |`;
  });
  return [
    '| Permission | Allows to | Scope | Roles besides `administrator` | Operations |',
    '| --- | --- | --- | --- | --- |',
  ]
    .concat(rows)
    .join('\n');
}

const SCOPES = { read: '`read` or `read_write`', write: '`write` or `read_write`', read_write: '`read_write`' };

/** Says which records a limited caller sees, for parts whose descriptions do not. */
const VISIBLE_RECORDS: Readonly<Record<string, string>> = {
  changes: 'An entry is visible to them if it names no target except one of these sites.',
  clients: 'A client is visible to them if it has at least one; its lists, counts and sums are those of these sites.',
  costs: 'A cost is visible to them if it has at least one; its lists, counts and sums are those of these sites.',
  jobs: 'A job is visible to them if it has at least one; its items and counts are those of these sites.',
  'report-schedules': 'A schedule is visible to them if it has at least one.',
  reports:
    'A report is visible to them if they have all sites that it shows and, for a report on a client, all sites of the ' +
    'client; one that waits for its release or was discarded only with the permission `reports:write`.',
  tags: 'A tag is visible to them if it has at least one; its lists and counts are those of these sites.',
};

const recordsOf = ({ id, part }: Pick<OperationEntry, 'id' | 'part'>): string =>
  part === 'report-schedules' && id.startsWith('reports_') ? 'reports' : part;

/** Only calls that name their site by a reference can find that the reference is ambiguous. */
const namesOneSite = (operation: ContractOperation): boolean =>
  operation['x-errors']?.includes('svc_ambiguous_site') ?? false;

/** Returns the sentences about the permission of an operation and the limit of a caller. */
export function accessFacts(entry: OperationEntry): string[] {
  const { operation } = entry.place;
  const { 'x-permission': permission = '' } = operation;
  const scope = PERMISSION_FACTS[permission]?.scope ?? 'any';
  const needsScope = scope === 'any' ? '' : `, and an API key the scope ${SCOPES[scope]}`;
  const visible = [VISIBLE_RECORDS[recordsOf(entry)] ?? []].flat();
  const sites = namesOneSite(operation) ? 'these sites; others fail with 404' : 'these sites';
  const limited = `Works for callers that are [limited to some sites](/guides/rights#limits), with ${sites}.`;
  const limit = operation['x-site-limit']
    ? [limited, ...visible].join(' ')
    : 'Fails for callers that are [limited to some sites](/guides/rights#limits) (403 `svc_outside_limits`).';
  return [`Requires the [permission](/guides/rights) \`${permission}\`${needsScope}.`, limit];
}
