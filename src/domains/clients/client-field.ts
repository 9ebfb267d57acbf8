import { cut } from '../../db/replace-rows.ts';
import { InvalidError, type FieldError } from '../../shared/errors.ts';

/**
 * A field that an operator defines once, and that each client may have a value of. Times are milliseconds since 1970.
 */
export interface ClientField {
  id: number;
  name: string;
  /** Empty without one. */
  description: string;
  createdAt: number;
  updatedAt: number;
}

export interface NewClientField {
  name: string;
  description?: string;
}

/** What is absent stays as it is. */
export type ClientFieldPatch = Partial<NewClientField>;

/** A field as callers name it: an ID (digits are one), or its name in any case. */
export type ClientFieldRef = number | string;

/** Which fields a list shows; the parts combine, and an empty `include` is none. */
export interface ClientFieldFilter {
  /** Part of the name, in any case. */
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
}

/** In characters. */
const MAX_NAME = 255;
const MAX_DESCRIPTION = 1000;
export const MAX_VALUE = 65_535;

/** Names are told apart and ordered by this. */
export const fieldKeyOf = (name: string): string => cut(name.trim().toLowerCase(), MAX_NAME);

/** Trims what is given; throws with everything that breaks a rule. */
export function checkedField({ name, description = '' }: NewClientField): Required<NewClientField> {
  const field = { name: name.trim(), description: description.trim() };
  const rules: [keyof NewClientField, boolean, string][] = [
    ['name', field.name !== '', 'must not be empty'],
    ['name', !/^\d+$/.test(field.name), 'must not be digits alone, which are an ID'],
    ['name', cut(field.name, MAX_NAME) === field.name, `must have at most ${MAX_NAME} characters`],
    [
      'description',
      cut(field.description, MAX_DESCRIPTION) === field.description,
      `must have at most ${MAX_DESCRIPTION} characters`,
    ],
  ];
  refuseAny(rules.flatMap(([path, holds, message]) => (holds ? [] : [{ path, message }])));
  return field;
}

export function refuseAny(errors: FieldError[]): void {
  if (errors.length > 0) throw new InvalidError(errors);
}
