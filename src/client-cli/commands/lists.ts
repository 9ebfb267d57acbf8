import type { Command as Commander } from 'commander';
import { parseCount, parseSite, type AddCommand } from '../options.ts';
import { takeFirst } from '../take-first.ts';

const LIMIT = ['--limit <number>', 'maximum number of entries', parseCount, 1000] as const;

export function listCommands(program: Commander, add: AddCommand): void {
  const clients = program.command('clients').description('clients, the owners of sites');
  add(clients, 'list', 'list clients', async (command, _words, { limit }) => {
    const fleet = await command.fleet();
    const items = await takeFirst(fleet.items('list-clients-v1', { per_page: 100 }, command.call), limit as number);
    command.list(items, [
      { title: 'id', of: ({ id }) => id, narrow: 'keep' },
      { title: 'name', of: ({ name }) => name },
      { title: 'email', of: ({ email }) => email },
      { title: 'status', of: (client) => client.status },
    ]);
  }).option(...LIMIT);

  const tags = program.command('tags').description('tags of sites');
  add(tags, 'list', 'list tags', async (command, _words, { limit }) => {
    const fleet = await command.fleet();
    const items = await takeFirst(fleet.items('list-tags-v1', { per_page: 100 }, command.call), limit as number);
    command.list(items, [
      { title: 'id', of: ({ id }) => id, narrow: 'keep' },
      { title: 'name', of: ({ name }) => name },
      { title: 'color', of: ({ color }) => color },
      { title: 'sites', of: ({ sites_count }) => sites_count },
    ]);
  }).option(...LIMIT);

  const plugins = program.command('plugins').description('plugins of a site');
  add(plugins, 'list <site>', 'list the plugins of a site as of its last sync', async (command, [site = '']) => {
    const fleet = await command.fleet();
    const input = { site_id_or_domain: parseSite(site) };
    const answer = await fleet.ability('get-site-plugins-v1', input, command.call);
    command.list(
      answer.plugins,
      [
        { title: 'slug', of: ({ slug }) => slug },
        { title: 'version', of: ({ version }) => version },
        { title: 'active', of: ({ active }) => (active ? 'yes' : 'no') },
        { title: 'update', of: ({ update_version }) => update_version },
      ],
      answer,
    );
  });

  add(program, 'status', 'show the numbers of sites, updates and jobs', async (command) => {
    const fleet = await command.fleet();
    const { call } = command;
    const sitesThat = async (status: 'connected' | 'disconnected' | 'suspended'): Promise<number> =>
      (await fleet.ability('count-sites-v1', { status }, call)).total;
    const jobsThat = async (status: 'queued' | 'processing'): Promise<number> =>
      (await fleet.route('jobs_list', { query: { status, per_page: 1 } }, call)).total;
    const [connected, disconnected, suspended, updates, queued, processing] = await Promise.all([
      sitesThat('connected'),
      sitesThat('disconnected'),
      sitesThat('suspended'),
      fleet.ability('list-updates-v1', { per_page: 1 }, call).then(({ total }) => total),
      jobsThat('queued'),
      jobsThat('processing'),
    ]);
    command.record({
      ...{ sites_connected: connected, sites_disconnected: disconnected, sites_suspended: suspended },
      ...{ updates_waiting: updates, jobs_queued: queued, jobs_processing: processing },
    });
  });
}
