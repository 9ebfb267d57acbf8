import type { Field, FieldGroup } from './fields.ts';

/** A sentence such as "Only in `sites_get` and `sites_list`, with `full_data`." */
const ONLY_IN = /Only in (?:the response of )?(`[\w-]+`(?:(?:, | and )`[\w-]+`)*)/;

/** Removes the fields that only other operations return. Records of a schema are shared by operations. */
export const keepFieldsOf = (id: string, groups: readonly FieldGroup[]): FieldGroup[] =>
  groups.map(({ title, fields }) => ({
    title,
    fields: fields
      .filter((field) => isReturnedBy(id, field))
      .map((field) => ({ ...field, groups: keepFieldsOf(id, field.groups) })),
  }));

function isReturnedBy(id: string, { description }: Field): boolean {
  const [, operations] = ONLY_IN.exec(description) ?? [];
  return operations === undefined || operations.includes(`\`${id}\``);
}
