import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** `generated/permissions.ts`: scope, roles and meaning of each permission of openapi/shared/permissions.yaml. */
export function permissionsFile(): string {
  const table: unknown = parse(readFileSync(new URL('../../openapi/shared/permissions.yaml', import.meta.url), 'utf8'));
  return `export const PERMISSIONS = ${JSON.stringify(table, null, 2)} as const;\n`;
}
