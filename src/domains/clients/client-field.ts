import { FieldErrors } from '../../shared/field-errors.ts';
import { trimmedName, trimmedText } from '../../shared/text.ts';

/** An operator defines a field once, and each client can have a value in it. Times are milliseconds since 1970. */
export interface ClientField {
  id: number;
  name: string;
  description: string;
  createdAt: number;
  updatedAt: number;
}

export interface NewClientField {
  name: string;
  description?: string;
}

export type ClientFieldPatch = Partial<NewClientField>;

/** ID or name of a field. Digits are an ID; the case of a name is ignored. */
export type ClientFieldRef = number | string;

export interface ClientFieldFilter {
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
}

const MAX_DESCRIPTION = 1000;
export const MAX_VALUE = 65_535;

export function checkedClientField({ name, description = '' }: NewClientField): Required<NewClientField> {
  const errors = new FieldErrors();
  const field = {
    name: trimmedName(errors, 'name', name),
    description: trimmedText(errors, 'description', description, MAX_DESCRIPTION),
  };
  errors
    .require('name', !/^\d+$/.test(field.name), 'must not consist of digits only, because digits are read as an ID')
    .throwIfAny();
  return field;
}
