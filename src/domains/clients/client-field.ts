import { FieldErrors } from '../../shared/fields.ts';
import { trimmedName, trimmedText } from '../../shared/text.ts';

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
const MAX_DESCRIPTION = 1000;
export const MAX_VALUE = 65_535;

/** Trims what is given; throws with everything that breaks a rule. */
export function checkedField({ name, description = '' }: NewClientField): Required<NewClientField> {
  const errors = new FieldErrors();
  const field = {
    name: trimmedName(errors, 'name', name),
    description: trimmedText(errors, 'description', description, MAX_DESCRIPTION),
  };
  errors.rule('name', !/^\d+$/.test(field.name), 'must not be digits alone, which are an ID').refuse();
  return field;
}
