import type { Command as Commander } from 'commander';
import type { AnswerOf, SiteStatusFilter } from '../../sdk/index.ts';
import { hasFailures } from '../answer-outcome.ts';
import { EXIT_CODES, UsageError } from '../exit-codes.ts';
import { parseCount, parseSite, type AddCommand } from '../options.ts';
import { readSecret } from '../secret-input.ts';
import { takeFirst } from '../take-first.ts';

export function siteCommands(program: Commander, add: AddCommand): void {
  const sites = program.command('sites').description('sites of the fleet');

  add(sites, 'list', 'list sites', async (command, _words, options) => {
    const { status, search, client, tag, limit } = options as unknown as ListOptions;
    const fleet = await command.fleet();
    const input = {
      per_page: Math.min(limit, 100),
      ...(status && { status }),
      ...(search && { search }),
      ...(client && { client_id: client }),
      ...(tag && { tag_id: tag }),
    };
    const items = await takeFirst(fleet.items('list-sites-v1', input, command.call), limit);
    command.list(items, [
      { title: 'id', of: ({ id }) => id, narrow: 'keep' },
      { title: 'name', of: ({ name }) => name },
      { title: 'url', of: ({ url }) => url },
      { title: 'status', of: (site) => site.status },
    ]);
  })
    .option('--status <status>', 'status: any, connected, disconnected, suspended or available_update')
    .option('--search <text>', 'text in the name or URL')
    .option('--client <id>', 'ID of a client', parseCount)
    .option('--tag <id>', 'ID of a tag', parseCount)
    .option('--limit <number>', 'maximum number of sites', parseCount, 1000);

  add(sites, 'get <site>', 'show a site, given by ID or URL', async (command, [site = '']) => {
    const fleet = await command.fleet();
    const path = { id_or_domain: parseSite(site) };
    const [{ data }, details] = await Promise.all([
      fleet.route('sites_get', { path }, command.call),
      fleet.ability('get-site-v1', { site_id_or_domain: parseSite(site), include_stats: true }, command.call),
    ]);
    const { broken_by_update, sync_errors, last_backup, tags = {} } = data;
    const record = { ...details, tags: Object.values(tags), last_backup, sync_errors, broken_by_update };
    const { stats, ...fields } = record;
    const shown = {
      ...{ ...fields, ...stats, tags: record.tags.join(', ') || null },
      sync_errors: sync_errors.map(({ code, message }) => `${message} (${code})`).join(' ') || null,
      broken_by_update: broken_by_update && describeBreak(broken_by_update),
    };
    command.print(record, () => command.fields(shown));
  });

  add(sites, 'add <url>', 'connect a site that runs the child plugin', async (command, [url = ''], options) => {
    const { admin, name, passwordStdin } = options as { admin: string; name?: string; passwordStdin?: boolean };
    const fleet = await command.fleet();
    const admin_password = passwordStdin
      ? await readSecret('Password of the administrator: ', command.environment)
      : undefined;
    const input = { url, admin, ...(name && { name }), ...(admin_password && { admin_password }) };
    command.record(await fleet.ability('add-site-v1', input, command.call));
  })
    .requiredOption('--admin <name>', 'user name of an administrator of the site')
    .option(
      '--password-stdin',
      'read the password of the administrator; required unless the child plugin does not ask for it',
    )
    .option('--name <name>', 'display name of the site');

  add(sites, 'sync [sites...]', 'sync the state of sites', async (command, words, options) => {
    const wanted = parseSiteSelection(words, options);
    const fleet = await command.fleet();
    const answer = await fleet.ability('sync-sites-v1', { site_ids_or_domains: wanted }, command.call);
    await command.outcome(fleet, answer, {
      wait: options['wait'] !== false,
      done: () => ('synced' in answer ? `Synced ${answer.total_synced} sites.\n` : ''),
    });
  })
    .option('--all', 'all sites')
    .option('--no-wait', 'do not wait for a queued job');

  add(
    sites,
    'check [sites...]',
    'check whether sites respond; exits with code 1 if one does not',
    async (command, words, options) => {
      const wanted = parseSiteSelection(words, options);
      const fleet = await command.fleet();
      const answer = await fleet.ability('check-sites-v1', { site_ids_or_domains: wanted }, command.call);
      if (hasFailures(answer, false)) command.exitCode = EXIT_CODES.itemsFailed;
      await command.outcome(fleet, answer, {
        wait: options['wait'] !== false,
        done: () =>
          'results' in answer
            ? command.table(answer.results, [
                { title: 'id', of: ({ site_id }) => site_id, narrow: 'keep' },
                { title: 'url', of: ({ site_url }) => site_url },
                { title: 'reachable', of: ({ reachable }) => (reachable ? 'yes' : 'no') },
                { title: 'status', of: ({ http_status }) => http_status },
                { title: 'ms', of: ({ response_time_ms }) => response_time_ms },
              ])
            : '',
      });
    },
  )
    .option('--all', 'all sites')
    .option('--no-wait', 'do not wait for a queued job');

  add(
    sites,
    'check-packages <site>',
    'check whether a site can fetch packages from the service; exits with code 1 if it cannot',
    async (command, [site = '']) => {
      const fleet = await command.fleet();
      const answer = await fleet.route(
        'sites_packages_check',
        { path: { id_or_domain: parseSite(site) } },
        command.call,
      );
      if (hasFailures(answer, false)) command.exitCode = EXIT_CODES.itemsFailed;
      command.record(answer.data);
    },
  );
}

type BrokenSite = NonNullable<AnswerOf<'sites_get'>['data']['broken_by_update']>;

function describeBreak({ since, probe, status_before, status_after, updates }: BrokenSite): string {
  const installed = updates.map((each) => `${each.type} ${each.slug} ${each.old_version} to ${each.new_version}`);
  return `${installed.join(', ')}; ${probe} ${status_before} before, ${status_after} since ${since}`;
}

interface ListOptions {
  status?: SiteStatusFilter;
  search?: string;
  client?: number;
  tag?: number;
  limit: number;
}

/**
 * Returns the sites that the user named. For the API, an empty list means all sites, so the user must pass `--all` to
 * get an empty list.
 */
function parseSiteSelection(words: readonly string[], { all }: { all?: unknown }): (number | string)[] {
  if (words.length === 0 && all !== true) throw new UsageError('Name at least one site or pass --all.');
  if (words.length > 0 && all === true) throw new UsageError('Name sites or pass --all, not both.');
  return words.map(parseSite);
}
