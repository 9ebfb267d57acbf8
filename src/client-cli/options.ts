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

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  return port;
}

export function collectValues(value: string, before: string[] = []): string[] {
  const added = value.split(',').map((word) => word.trim());
  if (added.includes('')) throw new InvalidArgumentError('It must not be empty.');
  return [...before, ...added];
}

/**
 * Collects rings, the stages of a rollout. A ring is a percentage of the sites, or a tag; the service checks whether
 * the tag exists.
 */
export function collectRings(value: string, before: string[] = []): string[] {
  const rings = collectValues(value, before);
  for (const [at, ring] of rings.entries()) {
    if (/^-?[\d.]+%$/.test(ring) && !SHARE.test(ring))
      throw new InvalidArgumentError(`The ring ${ring} must be a whole percentage from 1% to 100%, or a tag.`);
    if (rings.findIndex((other) => other.toLowerCase() === ring.toLowerCase()) < at)
      throw new InvalidArgumentError(`The ring ${ring} is given twice.`);
  }
  return rings;
}

const SHARE = /^([1-9]\d?|100)%$/;

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

export function collectUpdateTypes(value: string, before: UpdateGroup[] = []): UpdateGroup[] {
  const added = value.split(',').map((word) => {
    const type = UPDATE_TYPES[word.trim().toLowerCase()];
    if (!type) throw new InvalidArgumentError('The types are core, plugins, themes and translations.');
    return type;
  });
  return [...new Set([...before, ...added])];
}

export function parseCountOrShare(text: string): number | string {
  if (SHARE.test(text)) return text;
  return parseCount(text);
}
