import { InvalidArgumentError, type Command as Commander } from 'commander';
import type { Command } from './command.ts';

/** Adds a command that takes what all of them take, and does its work as a `Command`. */
export type Add = (
  parent: Commander,
  usage: string,
  description: string,
  run: (command: Command, words: string[], options: Readonly<Record<string, unknown>>) => Promise<void>,
) => Commander;

/** For options that are a time. */
export function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}

/** For options that are whole numbers above 0. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

/** For options that may be given several times. */
export const collected = (value: string, before: string[] = []): string[] => [...before, ...value.split(',')];

/** A site by its ID or its address. */
export const siteOf = (word: string): number | string => (/^\d+$/.test(word) ? Number(word) : word);
