import { Option, type Command as Commander } from 'commander';
import type { AnswerOf, InputOf, Sitefleet, UpdateGroup } from '../../sdk/index.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../exit-codes.ts';
import { leftOutHint, leftOutUpdates, type LeftOutSelection } from '../left-out-updates.ts';
import {
  collectRings,
  collectUpdateTypes,
  collectValues,
  parseCount,
  parseCountOrShare,
  parseSite,
  type AddCommand,
} from '../options.ts';
import { splitForQuery } from '../query-parts.ts';
import { formatValue, type Column } from '../table.ts';
import { takeFirst } from '../take-first.ts';

interface UpdateSelectionOptions {
  site?: string[];
  type?: UpdateGroup[];
}

const TYPE_OPTION = [
  '--type <type>',
  'type: core, plugins, themes or translations, also in the singular; can be repeated',
  collectUpdateTypes,
] as const;

const toListUpdatesInput = ({
  site = [],
  type = [],
}: UpdateSelectionOptions): NonNullable<InputOf<'list-updates-v1'>> => ({
  ...(site.length > 0 && { site_ids_or_domains: site.map(parseSite) }),
  ...(type.length > 0 && { types: type }),
});

const toLeftOutSelection = ({ site = [], type = [], item = [] }: RunOptions): LeftOutSelection => ({
  site,
  type,
  item,
});

function unmatchedHint({ specific_items: items = [] }: RunUpdatesInput, slugs: readonly string[]): string {
  const unmatched = items.filter((item) => !slugs.includes(item));
  if (unmatched.length === 0) return '';
  return `No update would be installed for ${unmatched.map(formatValue).join(', ')}. For slugs, run: sitefleet updates list\n`;
}

/**
 * Like `unmatchedHint`, for a run that updated nothing. Does not name an item with an error, because it had an update.
 * Empty if a site failed as a whole, because its updates are then unknown.
 */
function hintAfterRun(selection: RunUpdatesInput, errors: readonly { slug?: string }[]): string {
  const slugs = errors.flatMap(({ slug }) => slug ?? []);
  return slugs.length < errors.length ? '' : unmatchedHint(selection, slugs);
}

type UpdateRow = Pick<PlannedSite, 'site_id' | 'site_url'> & Partial<PlannedSite['updates'][number]>;

const UPDATE_COLUMNS: readonly Column<UpdateRow>[] = [
  { title: 'site', of: ({ site_id }) => site_id, narrow: 'keep' },
  { title: 'address', of: ({ site_url }) => site_url },
  { title: 'type', of: ({ type }) => type },
  { title: 'slug', of: ({ slug }) => slug },
  { title: 'from', of: ({ current_version }) => current_version || null },
  { title: 'to', of: ({ new_version }) => new_version },
];

export function updateCommands(program: Commander, add: AddCommand): void {
  const updates = program.command('updates').description('list and run available updates');

  add(updates, 'list', 'list available updates', async (command, _words, options) => {
    const { limit } = options as { limit: number };
    const fleet = await command.fleet();
    const items = await takeFirst(listAvailableUpdates(fleet, command, toListUpdatesInput(options)), limit);
    command.list(items, UPDATE_COLUMNS);
    if (items.length >= limit) command.note(`Only the first ${limit} updates are shown. See --limit.\n`);
    if (!command.options.json) command.note(await leftOutHint(fleet, command, toLeftOutSelection(options)));
  })
    .option('--site <site>', 'ID or URL of a site; can be repeated', collectValues)
    .option(...TYPE_OPTION)
    .option('--limit <number>', 'maximum number of updates', parseCount, 1000);

  const leftOut = 'list updates that other lists and runs leave out, because they are ignored or outside of a pin';
  add(updates, 'left-out', leftOut, async (command, _words, options) => {
    const { limit } = options as { limit: number };
    const fleet = await command.fleet();
    const all = leftOutUpdates(fleet, command, toLeftOutSelection(options));
    command.list(await takeFirst(all, limit), [
      ...UPDATE_COLUMNS,
      { title: 'reason', of: ({ message }) => message, narrow: 'wrap' },
    ]);
  })
    .option('--site <site>', 'ID or URL of a site; can be repeated', collectValues)
    .option(...TYPE_OPTION)
    .option('--limit <number>', 'maximum number of updates', parseCount, 1000);

  add(updates, 'run', 'run available updates, ring by ring with --rings', async (command, _words, options) => {
    const selection = toRunUpdatesInput(options);
    const { dryRun, wait } = options as RunOptions;
    const fleet = await command.fleet();
    const hint = command.options.json ? '' : await leftOutHint(fleet, command, toLeftOutSelection(options));
    if (dryRun) {
      printPlan(command, await readPlan(fleet, command, selection), selection);
      return command.note(hint);
    }
    const answer = await fleet.ability('run-updates-v1', selection, command.call);
    await command.outcome(fleet, answer, {
      wait: wait !== false,
      done: () =>
        'updated' in answer && answer.updated.length > 0
          ? command.table(answer.updated, [
              { title: 'updated', of: ({ site_url }) => site_url },
              { title: 'type', of: ({ type }) => type },
              { title: 'slug', of: ({ slug }) => slug },
              { title: 'from', of: ({ old_version }) => old_version || null },
              { title: 'to', of: ({ new_version }) => new_version },
            ])
          : `Nothing was updated.\n${hintAfterRun(selection, answer.errors)}`,
    });
    command.note(hint);
  })
    .option('--dry-run', 'show which updates would be installed on which site, in which ring; installs nothing')
    .option('--site <site>', 'ID or URL of a site; can be repeated', collectValues)
    .option('--all', 'all connected sites')
    .option(...TYPE_OPTION)
    .option('--item <slug>', 'slug of an update; can be repeated', collectValues)
    .option('--only-vulnerable', 'only updates of items with a known vulnerability')
    .option(
      '--rings <ring>',
      'ring of sites that starts after the one before: a tag, or a percentage of the sites such as 20%; can be ' +
        'repeated; the remaining sites form a last ring',
      collectRings,
    )
    .option('--stop-after-broken <number>', 'stop at this number of broken sites (default with rings: 1)', parseCount)
    .option(
      '--stop-after-failed <number>',
      'stop at this number of failed sites, or percentage of the ring (default with rings: 10%)',
      parseCountOrShare,
    )
    .addOption(
      new Option(
        '--guard <guard>',
        'put the old version of a plugin or theme back if the new one breaks the site (default with rings: plain)',
      ).choices(['none', 'plain', 'careful', 'parachute']),
    )
    .option('--force', 'update without a guard where the package of the installed version cannot be had')
    .option('--no-wait', 'do not wait for a queued job')
    .addHelpText('after', RUN_HELP);
}

const RUN_HELP = `
A run by rings updates some sites first and checks each before and after its updates. It stops before the next ring if
sites are broken or failed, or if a ring has proved nothing. First look, then run:

  sitefleet updates run --site 1,2,3,4,5 --rings 20%,40% --dry-run
  sitefleet updates run --site 1,2,3,4,5 --rings 20%,40%

With a guard, the service puts the old version of a plugin or theme back if the new one breaks the site. The guard
parachute works on a dead site, too, and needs permission in the settings.
Runs by rings have --guard plain unless you say otherwise.

The second command shows the progress and, at the end, each ring, the sites that failed, and why the run stopped. With
--no-wait it prints the job; "sitefleet jobs watch <job>" follows it, "sitefleet jobs cancel <job>" ends it after the
current sites, and "sitefleet jobs retry <job>" repeats what did not succeed, with the same rings.`;

interface RunOptions extends UpdateSelectionOptions {
  all?: boolean;
  item?: string[];
  onlyVulnerable?: boolean;
  rings?: string[];
  stopAfterBroken?: number;
  stopAfterFailed?: number | string;
  guard?: 'none' | 'plain' | 'careful' | 'parachute';
  force?: boolean;
  dryRun?: boolean;
  wait?: boolean;
}

type RunUpdatesInput = NonNullable<InputOf<'run-updates-v1'>>;

function toRunUpdatesInput(options: RunOptions): RunUpdatesInput {
  const { all, item = [], onlyVulnerable, rings = [], stopAfterBroken, stopAfterFailed, guard, force } = options;
  const selection = toListUpdatesInput(options);
  if (!selection.site_ids_or_domains && all !== true)
    throw new UsageError('Name at least one site with --site or pass --all.');
  if (rings.length === 0 && (stopAfterBroken ?? stopAfterFailed) !== undefined)
    throw new UsageError('Pass --stop-after-broken and --stop-after-failed only together with --rings.');
  if (force && (guard === 'none' || (guard === undefined && rings.length === 0)))
    throw new UsageError('Pass --force only together with --guard or --rings.');
  return {
    ...selection,
    ...(item.length > 0 && { specific_items: item }),
    ...(onlyVulnerable && { only_vulnerable: true }),
    ...(rings.length > 0 && { rings }),
    ...(stopAfterBroken !== undefined && { stop_after_broken: stopAfterBroken }),
    ...(stopAfterFailed !== undefined && { stop_after_failed: stopAfterFailed }),
    ...(guard !== undefined && { guard }),
    ...(force && { force }),
  };
}

type Plan = AnswerOf<'updates_plan'>;
type PlannedSite = Plan['data'][number];
type WholePlan = Omit<Plan, 'page' | 'per_page' | 'pages'>;

/** Throws `UsageError` if the sites of a plan by rings do not fit into one request: rings have a share of all sites. */
async function readPlan(fleet: Sitefleet, command: CommandContext, run: RunUpdatesInput): Promise<WholePlan> {
  const { site_ids_or_domains: websites = [], rings } = run;
  const parts = splitForQuery(websites);
  if (parts.length > 1 && rings)
    throw new UsageError(
      `A dry run by rings can name about ${parts[0]?.length} of these ${websites.length} sites. ` +
        'Name fewer sites, or pass --all.',
    );
  const whole = await readPlanOf(fleet, command, run, parts[0]);
  for (const part of parts.slice(1)) {
    const { data, errors, total, summary } = await readPlanOf(fleet, command, run, part);
    whole.data.push(...data);
    whole.errors.push(...errors);
    whole.total += total;
    for (const [type, count] of Object.entries(summary)) whole.summary[type as keyof typeof summary] += count;
  }
  return whole;
}

async function readPlanOf(
  fleet: Sitefleet,
  command: CommandContext,
  run: RunUpdatesInput,
  websites: (string | number)[] | undefined,
): Promise<WholePlan> {
  const { types: type, specific_items: slug, only_vulnerable, rings, guard, force } = run;
  const query = {
    ...{
      per_page: PLAN_PAGE,
      only_vulnerable: only_vulnerable ?? false,
      ...(guard && { guard }),
      force: force ?? false,
    },
    ...{ ...(websites && { websites }), ...(type && { type }), ...(slug && { slug }), ...(rings && { rings }) },
  };
  const sites: PlannedSite[] = [];
  let last: Plan | undefined;
  for await (const page of fleet.pages('updates_plan', { query }, command.call)) {
    sites.push(...page.data);
    last = page;
  }
  if (!last) throw new TypeError('A plan has at least one page.');
  const { success, summary, rings: planned, errors, total } = last;
  return { success, data: sites, summary, rings: planned, errors, total };
}

function printPlan(command: CommandContext, plan: WholePlan, run: RunUpdatesInput): void {
  const { data, summary, total, rings, errors } = plan;
  type Row = UpdateRow & Pick<PlannedSite, 'ring'>;
  const rows = data.flatMap(({ updates, ...site }): Row[] =>
    updates.length === 0 ? [site] : updates.map((update) => ({ ...site, ...update })),
  );
  const isGuarded = rows.some(({ guard }) => Boolean(guard));
  const table = (): string =>
    command.table(rows, [
      ...(rings.length > 0 ? [{ title: 'ring', of: ({ ring }: Row) => ring }] : []),
      ...UPDATE_COLUMNS,
      ...(isGuarded ? [{ title: 'guard', of: ({ guard }: Row) => guard ?? null }] : []),
    ]);
  const order = rings.map(({ name, total: sites }) => `${formatValue(name)} (${sites})`).join(', then ');
  const counts = `${counted(summary.total, 'update')} on ${counted(total, 'site')} would be installed${order && `: ${order}`}.`;
  const slugs = data.flatMap(({ updates }) => updates.map(({ slug }) => slug));
  const failed = command.failures([...errors, ...data.flatMap((site) => site.errors)]);
  command.print(
    plan,
    () =>
      `${rows.length > 0 ? table() : ''}${counts} This was a dry run: nothing was installed.\n` +
      unmatchedHint(run, slugs) +
      failed,
  );
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const PLAN_PAGE = 200;
const PAGE = 100;

async function* listAvailableUpdates(fleet: Sitefleet, command: CommandContext, selection: InputOf<'list-updates-v1'>) {
  for (let page = 1, seen = 0; ; page++) {
    const input = { ...selection, page, per_page: PAGE };
    const { updates, total } = await fleet.ability('list-updates-v1', input, command.call);
    yield* updates;
    seen += updates.length;
    if (updates.length === 0 || seen >= total) return;
  }
}
