import type { Command as Commander } from 'commander';
import type { InputOf, Sitefleet, UpdateGroup } from '../../sdk/index.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../exit-codes.ts';
import { collectValues, parseCount, parseSite, type AddCommand } from '../options.ts';
import { takeFirst } from '../take-first.ts';

interface UpdateSelectionOptions {
  site?: string[];
  type?: UpdateGroup[];
}

const toListUpdatesInput = ({
  site = [],
  type = [],
}: UpdateSelectionOptions): NonNullable<InputOf<'list-updates-v1'>> => ({
  ...(site.length > 0 && { site_ids_or_domains: site.map(parseSite) }),
  ...(type.length > 0 && { types: type }),
});

export function updateCommands(program: Commander, add: AddCommand): void {
  const updates = program.command('updates').description('list and run available updates');

  add(updates, 'list', 'list available updates', async (command, _words, options) => {
    const { limit } = options as { limit: number };
    const fleet = await command.fleet();
    const items = await takeFirst(listAvailableUpdates(fleet, command, toListUpdatesInput(options)), limit);
    command.list(items, [
      { title: 'site', of: ({ site_id }) => site_id },
      { title: 'address', of: ({ site_url }) => site_url },
      { title: 'type', of: ({ type }) => type },
      { title: 'slug', of: ({ slug }) => slug },
      { title: 'from', of: ({ current_version }) => current_version },
      { title: 'to', of: ({ new_version }) => new_version },
    ]);
  })
    .option('--site <site>', 'ID or URL of a site; can be repeated', collectValues)
    .option('--type <type>', 'type: core, plugins, themes or translations; can be repeated', collectValues)
    .option('--limit <number>', 'maximum number of updates', parseCount, 1000);

  add(updates, 'run', 'run available updates', async (command, _words, options) => {
    const { all, item = [], onlyVulnerable, wait } = options as RunOptions;
    const selection = toListUpdatesInput(options);
    if (!selection.site_ids_or_domains && all !== true)
      throw new UsageError('Name at least one site with --site or pass --all.');
    const fleet = await command.fleet();
    const input = {
      ...selection,
      ...(item.length > 0 && { specific_items: item }),
      ...(onlyVulnerable && { only_vulnerable: true }),
    };
    const answer = await fleet.ability('run-updates-v1', input, command.call);
    await command.outcome(fleet, answer, {
      wait: wait !== false,
      done: () =>
        'updated' in answer && answer.updated.length > 0
          ? command.table(answer.updated, [
              { title: 'updated', of: ({ site_url }) => site_url },
              { title: 'type', of: ({ type }) => type },
              { title: 'slug', of: ({ slug }) => slug },
              { title: 'from', of: ({ old_version }) => old_version },
              { title: 'to', of: ({ new_version }) => new_version },
            ])
          : 'Nothing was updated.\n',
    });
  })
    .option('--site <site>', 'ID or URL of a site; can be repeated', collectValues)
    .option('--all', 'all sites')
    .option('--type <type>', 'type: core, plugins, themes or translations; can be repeated', collectValues)
    .option('--item <slug>', 'slug of an update; can be repeated', collectValues)
    .option('--only-vulnerable', 'only updates that fix a known vulnerability')
    .option('--no-wait', 'do not wait for a queued job');
}

interface RunOptions {
  all?: boolean;
  item?: string[];
  onlyVulnerable?: boolean;
  wait?: boolean;
}

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
