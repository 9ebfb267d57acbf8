/**
 * The words of the translation table. A row says what the established product calls something and what it is called
 * here; its `note` is a line of `docs/guides/differences.md`. Rows are data: the engine beside this folder reads them.
 */

export type SurfaceOf = 'abilities' | 'v2';

interface Noted {
  /** One sentence for people who move here; Markdown. */
  note: string;
}

/** An address that is another one here; `{…}` stands for one segment, and both sides have the same ones. */
export interface AddressRow extends Noted {
  surface: SurfaceOf;
  theirs: string;
  ours: string;
}

/**
 * What a field of an answer is made of. A text that begins with `$.` is what stands there in the answer, with `$in.`
 * what came in, with `@` what a list holds; anything else means itself, and what is not there is left out.
 */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [name: string]: Template };

type Words = Readonly<Record<string, unknown>>;

/** What one operation, or several, take and answer otherwise. */
export interface OperationRow extends Noted {
  surface: SurfaceOf;
  /** Ids of the contract; `*` is every operation of the surface. */
  operations: readonly string[];
  /** Their name of a field of the input, body or query → ours. Ours is taken as well. */
  input?: Readonly<Record<string, string>>;
  /** Names that begin so, of fields at any depth → the beginning that they have here. */
  prefix?: Readonly<Record<string, string>>;
  /** Our field → their word for a value → ours. */
  words?: Readonly<Record<string, Words>>;
  /** What is meant where nothing is sent. `{days_ago: n}` is a date. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Unknown fields are ignored. */
  open?: true;
  /** Never ignored, though other unknown fields are. */
  refused?: readonly string[];
  /** Known there, without meaning here: taken, and nothing is done. */
  idle?: readonly string[];
  /** A list that is answered whole here, and in pages there. */
  paged?: { from: string; as: string; perPage: number; max: number };
  /** What an answer holds besides, or instead where the name is the same. */
  answer?: Readonly<Record<string, Template>>;
  /** The same for each item of a list in the answer. */
  items?: { of: string; add: Readonly<Record<string, Template>> };
}

/** A field of answers, wherever it stands, that has another name there. */
export interface FieldRow extends Noted {
  ours: string;
  theirs: string;
}

/** What is refused in other words there. The first row that fits is taken. */
export interface RefusalRow extends Noted {
  surface: SurfaceOf;
  ours: string;
  code: string;
  status?: number;
  when?: 'no bearer' | 'run' | 'by id';
}

/** What the established product does and the mount does not. */
export interface LeftRow extends Noted {
  subject: string;
  reason: string;
}
