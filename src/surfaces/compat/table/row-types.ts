/**
 * Types of the translation table. A row maps a name of MainWP Dashboard (`theirs`) to the one of this service (`ours`).
 * Its `note` is a line of `docs/guides/differences.md`. Rows are data; the code in the parent folder interprets them.
 */

import type { SurfaceName } from '../../generated-files.ts';

interface WithNote {
  note: string;
}

/** A path that differs in MainWP Dashboard. `{…}` stands for one segment. Both paths have the same parameters. */
export interface AddressRow extends WithNote {
  surface: SurfaceName;
  theirs: string;
  ours: string;
}

/**
 * Template of a response field. A text that begins with `$.` refers to a field of the response, `$in.` to the input,
 * and `@` to the current list item. Any other value stands for itself. Missing values are omitted.
 */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [name: string]: Template };

type ValueMap = Readonly<Record<string, unknown>>;

export interface OperationRow extends WithNote {
  surface: SurfaceName;
  /** Operation IDs of the contract; `*` means every operation of the surface. */
  operations: readonly string[];
  /**
   * Maps a field name of MainWP Dashboard to that of this service, in the input, body or query. Both names are
   * accepted. `prefix` does the same for prefixes of field names, at any depth.
   */
  input?: Readonly<Record<string, string>>;
  prefix?: Readonly<Record<string, string>>;
  /** For each field of this service: maps values of MainWP Dashboard to values of this service. */
  valueMaps?: Readonly<Record<string, ValueMap>>;
  /** Defaults for omitted fields. `{days_ago: n}` stands for the date `n` days ago. */
  defaults?: Readonly<Record<string, unknown>>;
  allowsUnknown?: true;
  rejectedFields?: readonly string[];
  ignoredFields?: readonly string[];
  /** A list that this service returns as a whole, and MainWP Dashboard in pages. */
  paged?: { from: string; as: string; perPage: number; max: number };
  /** Fields that are added to the response. They replace fields with the same name. */
  responseFields?: Readonly<Record<string, Template>>;
  itemFields?: { of: string; add: Readonly<Record<string, Template>> };
}

export interface FieldRow extends WithNote {
  ours: string;
  theirs: string;
}

/** The first matching row applies. */
export interface ErrorRow extends WithNote {
  surface: SurfaceName;
  ours: string;
  code: string;
  status?: number;
  when?: 'no bearer' | 'run' | 'by id';
}

export interface UnsupportedRow extends WithNote {
  subject: string;
  reason: string;
}
