import type { Database } from '../db/database.ts';
import type { Sealing } from '../db/sealing.ts';
import type { AccessService } from '../domains/access/index.ts';
import type { ModuleService } from '../domains/modules/index.ts';

/** What the commands need of the product. */
export interface CliCore {
  database: Database;
  sealing: Sealing;
  access: AccessService;
  modules: ModuleService;
  close(): Promise<void>;
}

export interface Option {
  /** What stands for the value in the help; a flag has none. */
  value?: string;
  description: string;
  required?: boolean;
  choices?: readonly string[];
}

export type Values = Record<string, string | boolean | undefined>;

/** What a command has to say: `data` with `--json`, else `text`. */
export interface Outcome {
  data: unknown;
  text: string;
}

export interface Verb {
  summary: string;
  options: Record<string, Option>;
  /** The option that may also stand without its name, right after the verb. */
  subject?: string;
  example: string;
  run(core: CliCore, values: Values, progress: (line: string) => void): Promise<Outcome>;
}

export interface CommandGroup {
  name: string;
  summary: string;
  /** Commands of the migrations look at the database as it is; all others bring it up to date first. */
  migratesFirst: boolean;
  verbs: Record<string, Verb>;
}

/** The call itself is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Who stands in the change log for what is done here. */
export const ACTOR = 'system';

/** The text of an option that is required, or that has been checked to be there. */
export function text(values: Values, name: string): string {
  const value = values[name];
  if (typeof value !== 'string') throw new UsageError(`--${name} is missing.`);
  return value;
}

export function optionalText(values: Values, name: string): string | null {
  const value = values[name];
  return typeof value === 'string' ? value : null;
}

export const isSet = (values: Values, name: string): boolean => values[name] === true;
