import type { Database } from '../db/database.ts';
import type { Sealing } from '../db/sealing.ts';
import type { AccessService } from '../domains/access/index.ts';
import type { TestMail } from '../domains/mail/index.ts';
import type { ModuleService } from '../domains/modules/index.ts';

export interface CommandServices {
  database: Database;
  sealing: Sealing;
  access: AccessService;
  modules: ModuleService;
  testMail: Pick<TestMail, 'send' | 'from'>;
  close(): Promise<void>;
}

export interface Option {
  value?: string;
  description: string;
  required?: boolean;
  choices?: readonly string[];
}

export type OptionValues = Record<string, string | boolean | undefined>;

/** Result of a command. With `--json`, `data` is printed, otherwise `text`. */
export interface CommandResult {
  data: unknown;
  text: string;
}

export interface Verb {
  summary: string;
  options: Record<string, Option>;
  /** Name of the option that may also be given as a positional argument after the verb. */
  subject?: string;
  example: string;
  run(core: CommandServices, values: OptionValues, progress: (line: string) => void): Promise<CommandResult>;
}

export interface CommandGroup {
  name: string;
  summary: string;
  /** False for the migration commands, which need the database as it is. Other commands migrate it first. */
  migratesFirst: boolean;
  verbs: Record<string, Verb>;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const ACTOR = 'system';

export function requiredOption(values: OptionValues, name: string): string {
  const value = values[name];
  if (typeof value !== 'string') throw new UsageError(`--${name} is missing.`);
  return value;
}

export function optionOrNull(values: OptionValues, name: string): string | null {
  const value = values[name];
  return typeof value === 'string' ? value : null;
}

export const isSet = (values: OptionValues, name: string): boolean => values[name] === true;
