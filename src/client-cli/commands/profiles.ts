import type { Command as Commander } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { checkUrl } from '../connection.ts';
import { UsageError } from '../exit-codes.ts';
import { checkProfileName, profilesFile, readProfiles, writeProfiles, type Profiles } from '../profiles.ts';
import type { AddCommand } from '../options.ts';
import { readSecret } from '../secret-input.ts';

export function profileCommands(program: Commander, add: AddCommand): void {
  const profiles = program.command('profiles').description('saved services and their API keys');

  add(profiles, 'list', 'list profiles', async (command) => {
    const { all, current } = await readStoredProfiles(command);
    const rows = Object.entries(all).map(([name, { url }]) => ({ name, url, is_current: name === current }));
    command.list(rows, [
      { title: 'name', of: ({ name }) => name },
      { title: 'url', of: ({ url }) => url },
      { title: 'current', of: ({ is_current }) => (is_current ? 'yes' : '') },
    ]);
  });

  add(
    profiles,
    'add <name>',
    'save a service; prompts for its API key or reads it from standard input',
    async (command, [word = '']) => {
      const name = checkProfileName(word);
      const url = checkUrl(command.options.url);
      const key = await readSecret(`API key of ${url}: `, command.environment);
      const { all, current, save } = await readStoredProfiles(command);
      await save({ current: current ?? name, profiles: { ...all, [name]: { url, key } } });
      command.print({ name, url }, () => `Saved the profile ${name} for ${url}.\n`);
    },
  );

  add(profiles, 'use <name>', 'set the current profile', async (command, [name = '']) => {
    const { all, save } = await readStoredProfiles(command, name);
    await save({ current: name, profiles: all });
    command.print({ name }, () => `${name} is the current profile.\n`);
  });

  add(profiles, 'remove <name>', 'delete a profile and its API key', async (command, [name = '']) => {
    const { all, current, save } = await readStoredProfiles(command, name);
    const left = Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));
    await save({ current: current === name ? null : current, profiles: left });
    command.print({ name }, () => `Deleted the profile ${name}.\n`);
  });
}

interface StoredProfiles {
  all: Profiles['profiles'];
  current: string | null;
  save: (profiles: Profiles) => Promise<void>;
}

async function readStoredProfiles({ environment }: CommandContext, name?: string): Promise<StoredProfiles> {
  const file = profilesFile(environment);
  const { current, profiles } = await readProfiles(file);
  if (name !== undefined && !Object.hasOwn(profiles, name)) throw new UsageError(`There is no profile "${name}".`);
  return { all: profiles, current, save: (next) => writeProfiles(file, next) };
}
