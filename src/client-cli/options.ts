import { InvalidArgumentError, type Command as Commander } from 'commander';
import type { UpdateGroup } from '../sdk/index.ts';
import type { CommandContext } from './command-context.ts';

export type AddCommand = (
  parent: Commander,
  usage: string,
  description: string,
  run: (command: CommandContext, words: string[], options: Readonly<Record<string, unknown>>) => Promise<void>,
) => Commander;

export function parseSeconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number greater than 0.');
  return value;
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number greater than 0.');
  return Number(text);
}

/** Adds the values of a repeated option. Each value may be a list with commas. */
export const collectValues = (value: string, before: string[] = []): string[] => [...before, ...value.split(',')];

export const parseSite = (word: string): number | string => (/^\d+$/.test(word) ? Number(word) : word);

const UPDATE_TYPES: Readonly<Record<string, UpdateGroup>> = {
  core: 'core',
  plugin: 'plugins',
  plugins: 'plugins',
  theme: 'themes',
  themes: 'themes',
  translation: 'translations',
  translations: 'translations',
};

/** Accepts singular and plural names. */
export function collectUpdateTypes(value: string, before: UpdateGroup[] = []): UpdateGroup[] {
  const added = value.split(',').map((word) => {
    const type = UPDATE_TYPES[word.trim().toLowerCase()];
    if (!type) throw new InvalidArgumentError('The types are core, plugins, themes and translations.');
    return type;
  });
  return [...new Set([...before, ...added])];
}

/** Parses a number of sites, or a percentage from 1% to 100%. */
export function parseCountOrShare(text: string): number | string {
  if (/^([1-9]\d?|100)%$/.test(text)) return text;
  return parseCount(text);
}
